// Package clitest helps to test commands: it serves within the test, runs the program as a process, and talks to both.
package clitest
