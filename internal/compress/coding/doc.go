// Package coding decodes bodies that have content codings (RFC 9110 §8.4): gzip, deflate, br, zstd, and lists of them.
//
// A Reader decodes a body while it is read. The size of the decoded body and the memory for decoding are bounded. A
// decoder is taken from a pool with the first byte of the body and returned as soon as the body has ended. Its memory is
// about 45 KiB for gzip and deflate, up to 8 MiB and some blocks for zstd, and up to 16 MiB for br, because of the window
// sizes that the latter two allow.
//
// Malformed bodies are refused: a body that ends early, has a wrong checksum, or has bytes after the end of the encoded
// data. The only exception is deflate without its wrapper, which RFC 9110 §8.4.1.2 mentions.
package coding

// AcceptEncoding is the Accept-Encoding (RFC 9110 §12.5.3) for a client that uses this package.
//
// The order has no meaning in the RFC, but some servers take the first coding that they support. gzip is first because its
// decoder is the smallest by far, and because precompressed files are usually gzip. deflate is decoded but not asked for:
// the name stands for two formats, and a server that can send it can send gzip.
const AcceptEncoding = "gzip, br, zstd"

// maxCodings is how many codings a body may have. More than one is rare, and each multiplies the possible expansion.
const maxCodings = 4
