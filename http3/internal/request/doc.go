// Package request handles a client's request, its stream and the response on it: it is what a worker of the server runs from the head
// of the request on. It carries a carrier.Exchange, which calls the handler.
//
//	Stream ─┬─ head: HEADERS ─► carrier.Request ─► Exchange ─► handler
//	        ├─ reader: DATA ─► content       reads wait, as long as the deadlines of their half allow
//	        ├─ writer: parts of the response ─► HEADERS, DATA
//	        └─ gone: the client no longer wants a response
//
// The connection, in package serverconn, passes the streams in and is told how they end.
package request
