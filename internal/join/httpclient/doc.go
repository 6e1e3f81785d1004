// Package httpclient sends requests over connections that it keeps, in whichever version of HTTP a server speaks. It holds
// what package client and nethttp.Transport have in common; they build the requests and interpret the responses.
//
//	Client.Do(Call) ─┬─► hostPool ─┬─► conn (HTTP/1.1: one request at a time) ──┐
//	                 │             └─► stream (HTTP/2: many on a connection) ───┼─► exchange ─► Response
//	                 └─► http3, if the server offers it ─► h3Stream (likewise) ─┘
//
//	owner       what it has                                            its lock
//	pools       the hostPools by Key, and the connections of HTTP/2    mu for the map; h2client's own
//	hostPool    idle connections, and the requests that wait           mu, as the names of methods say: …Locked
//	room        how many connections there are; the waits for room      mu
//	http3       offers of HTTP/3, and the dials of it                  mu; altsvc's own
//	exchange    one request in flight                                  none: one goroutine reads, one may send
//	Response    what has arrived                                       none: its state says who reads
//
// A hostPool holds the connections that can be used for one Key. A request that finds no idle one waits in the pool's
// queue while a connection is opened. It takes whichever comes first, the new connection or one that another request has
// finished with. Idle connections form a stack, so the connections at its bottom stay idle: the lot watches them without a
// goroutine, and they are closed after a while.
package httpclient
