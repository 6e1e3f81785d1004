// Package wsframe reads and writes the frames of WebSocket (RFC 6455 §5, with the RSV1 bit of RFC 7692): their headers,
// the order in which they may come, and what a close frame says. It does no I/O, keeps nothing that it is given and
// allocates nothing; it refuses what the RFC forbids and repairs nothing.
//
// Parse reads a header, Append writes one. A Sequence, one for each direction of a connection, is told every header and
// says whether it may stand there. Payloads pass by: the mask is package mask's, the text package utf8x's, and how long
// a message may be is for the user to say. What is refused, and with which close code, stands in
// docs/wire/websocket.md. Functions may be called concurrently; a Sequence belongs to one goroutine at a time.
package wsframe
