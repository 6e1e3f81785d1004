// Package deflate compresses and decompresses whole messages (RFC 1951), cut as permessage-deflate cuts them (RFC 7692
// §7.2): the last four bytes of a compressed message, 00 00 FF FF, do not travel.
//
// Decompress and a Decompressor read a message that lies whole in memory and write straight into a lease, which is
// their window as well: there is no reader, no copy between, and the limit is exact. Compressors are those of
// klauspost/compress; they are large, and shared by all. What a connection keeps between two messages is what was said.
//
// Slices that functions return are leases of package bufpool: whoever gets one puts it back. What they are given is not
// changed and not kept.
package deflate

import "errors"

// The sizes of windows, as powers of two (RFC 7692 §7.1.2).
const (
	MinBits = 8
	MaxBits = 15
)

var (
	// ErrCorrupt means that a message is not what RFC 7692 §7.2.1 makes of any: that its blocks are none, reach back
	// too far, or do not end where the message does.
	ErrCorrupt = errors.New("deflate: corrupt message")
	// ErrTooBig means that a message becomes longer than the limit.
	ErrTooBig = errors.New("deflate: message longer than the limit")

	errUnflushed = errors.New("deflate: the compressor did not end a message with an empty block")
)
