// Package socket is the command socket: one socket for many peers, by commands and events on standard input and output.
package socket
