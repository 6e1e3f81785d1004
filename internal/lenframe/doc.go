// Package lenframe reads and writes messages behind their length: four bytes, big-endian, then so many bytes of payload.
// Routing-id sockets speak that over tcp and tls, and in binary frames over ws and wss. It does no I/O, keeps no payload
// and allocates nothing but the error that ends a stream.
//
// Append writes a message, AppendHeader only its length. Parse reads a message that lies whole in a buffer. A Reader is
// fed a stream in any pieces: it gives out messages that lie whole in what it is fed, and others piece by piece. What is
// refused, and what ends a stream on which wire, stands in docs/wire/streamsock.md. Functions may be called concurrently;
// a Reader belongs to one goroutine at a time.
package lenframe
