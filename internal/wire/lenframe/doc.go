// Package lenframe reads and writes length-prefixed messages: a length of four bytes, big-endian, and then the payload.
// Routing-id sockets use this format over tcp and tls, and in binary frames over ws and wss. The package does no I/O, keeps
// no payload and allocates nothing but the error that ends a stream.
//
// Append writes a message, AppendHeader only its length. Parse reads a message from a buffer that holds all of it. A Reader
// reads a stream that arrives in pieces of any size: it returns a message as one slice if it lies whole in the input, and
// otherwise piece by piece. docs/wire/streamsock.md says what is refused and what ends a stream. Functions may be called
// concurrently; a Reader may be used by one goroutine at a time.
package lenframe
