package main

// program is the program under test.
var program programFunc = run
