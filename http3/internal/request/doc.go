// Package request is a request of a client's, its stream and the response on it: what a worker of the server does from the head of the
// request on. It carries a carrier.Exchange, which calls the handler.
//
//	Stream ─┬─ head: HEADERS ─► carrier.Request ─► Exchange ─► handler
//	        ├─ reader: DATA ─► content       reads wait, for so long as their half's deadlines say
//	        ├─ writer: parts of the response ─► HEADERS, DATA
//	        └─ gone: the client wants no response any more
//
// The connection, in package serverconn, gives it the streams and is told how they end.
package request
