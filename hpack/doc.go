// Package hpack encodes and decodes the field lines of HTTP/2 (RFC 7541). It does no I/O and takes no locks.
//
// A Decoder decodes header blocks, whole or in fragments that may be cut anywhere; an Encoder encodes them. A connection
// has one Encoder and one Decoder, because the meaning of a block depends on all blocks before it. Neither is safe for
// concurrent use. The zero values are ready for use with the table of 4,096 bytes that HTTP/2 begins with.
//
// The strings that a Decoder returns never change and may be kept. They are cut from chunks of at most 1 KiB, so that a
// kept string pins little other memory. The package does not check whether names and values are valid in HTTP: that is up
// to package http2. What is refused, and by which rule, is described in [the rules].
//
// [the rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/hpack.md
package hpack
