// Package serve is the command serve: a page about the connection that it is read over, with a live socket; or the files of a
// directory; or another service.
package serve
