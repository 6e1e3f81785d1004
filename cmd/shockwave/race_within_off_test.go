//go:build !race

package main

const raced = false // the race detector is on
