// Package coding reads bodies that have content codings (RFC 9110 §8.4): gzip, deflate, br, zstd, and lists of them.
//
// A Reader undoes a body's codings as the body is read, bounded in what the body may become and in the memory that this
// takes. A decoder is borrowed from a pool with the body's first byte and is back as soon as the body has ended. Its
// memory is about 45 KiB for gzip and deflate, up to 8 MiB and some blocks for zstd, up to 16 MiB for br: the windows
// that those two may ask for.
//
// What is broken is refused: a body that ends early, a checksum that does not match, bytes behind the end of what is
// coded. Only deflate without its wrapper is read too, as RFC 9110 §8.4.1.2 has it.
package coding

// AcceptEncoding is what a client sends as Accept-Encoding (RFC 9110 §12.5.3) if bodies are to be read by this package.
//
// The order says nothing by the RFC, but servers are known that take the first they have. So gzip is first: its decoder
// is the smallest by far, and a file that is kept compressed is kept as gzip. deflate is read and not asked for: two
// formats have that name, and what can send it can send gzip.
const AcceptEncoding = "gzip, br, zstd"

// maxCodings is how many codings one body may have. More than one is rare, and each multiplies what a byte can become.
const maxCodings = 4
