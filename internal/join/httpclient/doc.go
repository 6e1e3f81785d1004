// Package httpclient sends requests over connections that it keeps, in whichever version of HTTP a server speaks. It holds
// what package client and nethttp.Transport have in common; they build the requests and interpret the responses.
//
//	Call ─┬─► hostPool ─┬─► conn (HTTP/1.1: one request at a time) ──┐
//	      │             └─► stream (HTTP/2: many on a connection) ───┼─► exchange ─► Response
//	      └─► http3, if the server offers it ─► h3Stream (likewise) ─┘
//
// A hostPool holds the connections that can be used for one Key. A request that finds no idle one waits in the pool's
// queue while a connection is opened. It takes whichever comes first, the new connection or one that another request has
// finished with. Idle connections form a stack, so the connections at its bottom stay idle: the lot watches them without a
// goroutine, and they are closed after a while.
package httpclient
