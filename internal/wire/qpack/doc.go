// Package qpack encodes and decodes the field sections of HTTP/3 (QPACK, RFC 9204) without a dynamic table: fields are taken
// from the static table or are literals, and this end announces a table of 0 bytes, so that the peer must do the same (§3.2.3).
// So sections never wait for one another, a connection keeps no memory for them, and nothing that is sent can be guessed by the
// length of what follows (§7.1).
//
//	HEADERS frame ─► Decoder ─► fields         instructions ─► EncoderStream, DecoderStream ─► nothing, or an error
//	fields ─► Append… ─► HEADERS frame
package qpack
