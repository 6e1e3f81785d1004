// Package cli is what all commands share: the console, the values of their flags, the signals that end them, and their logs.
package cli
