// Package wsframe reads and writes WebSocket frames (RFC 6455 §5, with the RSV1 bit of RFC 7692): frame headers, the
// order of frames, and the payload of close frames. It does no I/O, keeps no reference to its arguments and does not
// allocate. It rejects what the RFC forbids and repairs nothing.
//
// Parse reads a header and Append writes one. A Sequence, one for each direction of a connection, is passed every header
// and checks the order of the frames. Other payloads are not handled here: see package mask for masking and package
// utf8x for text. The caller bounds the length of messages. docs/wire/websocket.md lists what is rejected and with which
// close code. Functions are safe for concurrent use; a Sequence is not.
package wsframe
