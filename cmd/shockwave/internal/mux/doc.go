// Package mux is the command mux: sessions and their channels, by commands and events on standard input and output.
package mux
