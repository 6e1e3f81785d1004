// Package hpack compresses the field lines of HTTP/2 and reads them (RFC 7541). It does no I/O and takes no lock.
//
// A Decoder reads header blocks, whole or in fragments that may be cut anywhere; an Encoder writes them. Each connection
// has one of both for each direction, since what a block means depends on all that came before it, and each belongs to
// one goroutine at a time. Zero values are ready for use with the table of 4,096 bytes that HTTP/2 begins with.
//
// Strings that a Decoder gives out never change and may be kept; they are cut from chunks of at most 1 KiB, so that a
// kept one holds little else. Whether a name or a value may stand in an HTTP message is not looked at: that is for
// package http2 to say. What is refused, and by which rule, stands in [the rules].
//
// [the rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/hpack.md
package hpack
