// Package site is where a server of the program listens, and serves there until a signal ends it.
package site
