// Package echo is the command echo, a server that answers every request with what it understood of it.
package echo
