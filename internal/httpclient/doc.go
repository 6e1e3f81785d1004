// Package httpclient sends requests over connections that it keeps, in whichever version of HTTP a server speaks: what
// package client and nethttp.Transport have in common. What a request says, and what becomes of its response, is theirs.
//
//	Call ─► place ─┬─► conn (HTTP/1.1: one request at a time) ─┐
//	               └─► stream (HTTP/2: many on a connection) ──┴─► exchange ─► Response
//
// A place is where connections lead that can stand in for each other. Who finds none there waits in its queue, while one
// is opened; whichever comes first, the new one or one that somebody else has done with, is taken. Idle connections lie
// on a stack: those at its bottom grow cold, are watched by the lot without a goroutine, and end.
package httpclient
