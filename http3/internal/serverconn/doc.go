// Package serverconn implements a server's connections of HTTP/3. The requests of a connection are handled by workers, one of which waits
// for the next request stream:
//
//	stream ─► worker: request.Stream: head, handler, response ─► the next stream
//	          └────► spare worker: waits for the next stream meanwhile
//
// So one worker handles as many requests as have arrived, and none waits for a handler that blocks. A Group is all connections of a
// server, which are shut down together.
package serverconn
