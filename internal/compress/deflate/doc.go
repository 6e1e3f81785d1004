// Package deflate compresses and decompresses whole messages (RFC 1951) in the form of permessage-deflate (RFC 7692
// §7.2), which leaves out the last four bytes of a compressed message, 00 00 FF FF.
//
// Decompress and Decompressor read a message that is completely in memory and write straight into a buffer of package
// bufpool, which is also the window: nothing is copied in between, and the limit is exact. The compressors are those of
// klauspost/compress. They are large, and shared by all connections. Between two messages a connection only keeps the
// end of the plain text.
//
// The slices that functions return are buffers of package bufpool, which the caller must put back. Arguments are neither
// changed nor kept.
package deflate

import "errors"

// The minimum and the maximum size of a window, as powers of two (RFC 7692 §7.1.2).
const (
	MinBits = 8
	MaxBits = 15
)

var (
	// ErrCorrupt means that a message is not in the format of RFC 7692 §7.2.1: a block is malformed, reaches back too
	// far, or does not end where the message does. The message may also end with a block marked as final.
	ErrCorrupt = errors.New("deflate: corrupt message")
	// ErrTooBig means that the decompressed message is longer than the limit.
	ErrTooBig = errors.New("deflate: message longer than the limit")

	errUnflushed = errors.New("deflate: the compressor did not end a message with an empty block")
)
