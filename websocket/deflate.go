package websocket

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
)

// takeoverMemory bounds the memory that all connections keep for context takeover.
var takeoverMemory = deflate.NewBudget(256 << 20)

// SetTakeoverMemory bounds the memory that all connections of the program together keep between messages for
// ContextTakeover, in bytes; the default is 256 MiB. Each connection counts with 4 KiB for compression and with 64 KiB
// for decompression, or less if a smaller window was agreed on. When there is not enough left for one direction, new
// connections do without takeover in that direction; existing ones keep theirs. Concurrent handshakes may exceed the
// bound by 64 KiB each. A bound of 0 turns takeover off. It may be called at any time.
func SetTakeoverMemory(bytes int64) { takeoverMemory.SetLimit(bytes) }

// TakeoverMemory returns how much of that memory is in use. It may be called at any time.
func TakeoverMemory() int64 { return takeoverMemory.Used() }

func roomToDeflate(s deflateSide) bool {
	return takeoverMemory.Room(int64(deflate.CompressorSize(s.window())))
}

func roomToInflate(s deflateSide) bool {
	return takeoverMemory.Room(int64(deflate.DecompressorSize(s.window())))
}

// deflater compresses the messages of one connection. Without takeover, connections share it.
type deflater struct {
	deflate.Compressor
	taken atomic.Int64 // bytes of takeoverMemory
}

// newDeflater returns a deflater with the parameters of s. If memory is short it has no takeover, which the peer need
// not know.
func newDeflater(s deflateSide) *deflater {
	size := int64(deflate.CompressorSize(s.window()))
	if s.noTakeover || !takeoverMemory.Reserve(size) {
		return &sharedDeflaters[s.window()]
	}
	d := &deflater{Compressor: deflate.NewCompressor(s.window(), true)}
	d.taken.Store(size)
	return d
}

// Without takeover nothing is kept between messages, so all connections with the same window share one. The index is the
// window's size in bits.
var (
	sharedDeflaters [deflate.MaxBits + 1]deflater
	sharedInflaters [deflate.MaxBits + 1]inflater
)

func init() {
	for bits := range deflate.MaxBits + 1 {
		sharedDeflaters[bits].Compressor = deflate.NewCompressor(bits, false)
		sharedInflaters[bits].Decompressor = deflate.NewDecompressor(bits, false)
	}
}

// message returns p compressed (RFC 7692 §7.2.1), in a buffer from the pool. With takeover, calls must not be
// concurrent, and must be in the order in which the messages are sent.
func (d *deflater) message(p []byte) ([]byte, error) { return d.Message(p) }

// independent reports whether each message is compressed by itself, so that messages may be compressed concurrently, in
// any order, and need not be sent. It is false without compression.
func (d *deflater) independent() bool { return d != nil && !d.Takeover() }

// peerCanRead reports whether the peer can decompress the output of compressAlone for n bytes. References reach back at
// most to the beginning of the message, and must not reach beyond the window (RFC 7692 §7.1.2).
func (d *deflater) peerCanRead(n int) bool {
	return d.independent() && (n <= 1<<d.Bits() || d.Bits() == deflate.MaxBits)
}

// compressAlone compresses p for any number of connections; see peerCanRead. The result is in a buffer from the pool.
func compressAlone(p []byte) ([]byte, error) { return deflate.Compress(p, deflate.MaxBits) }

// inflater decompresses the messages of one connection. Without takeover, connections share it.
type inflater struct {
	deflate.Decompressor
	taken atomic.Int64 // bytes of takeoverMemory
}

// newInflater returns an inflater with the parameters of s. The peer decides whether it uses takeover, so memory is
// charged even if it is short.
func newInflater(s deflateSide) *inflater {
	if s.noTakeover {
		return &sharedInflaters[s.window()]
	}
	i := &inflater{Decompressor: deflate.NewDecompressor(s.window(), true)}
	i.taken.Store(int64(deflate.DecompressorSize(s.window())))
	takeoverMemory.Charge(i.taken.Load())
	return i
}

// message returns p decompressed (RFC 7692 §7.2.2), in a buffer from the pool. limit is the maximum length, 0 for none.
// The error is errInflate or ErrTooBig; after an error no further message can be decompressed.
func (i *inflater) message(p []byte, limit int64) ([]byte, error) {
	plain, err := i.Message(p, limit)
	switch err {
	case nil:
		return plain, nil
	case deflate.ErrTooBig:
		return nil, ErrTooBig
	}
	return nil, errInflate
}

// dropContexts releases the memory kept between messages, when c is over or failed to open. Nothing reads any more. If a
// goroutine is still writing, the compressor's memory is left to the garbage collector.
func (c *Conn) dropContexts() {
	if c.compress == nil {
		return
	}
	takeoverMemory.Release(c.compress.taken.Swap(0) + c.in.inflate.taken.Swap(0))
	c.in.inflate.Drop()
	if c.t == nil { // c has not been opened
		c.compress.Drop()
	} else if c.t.TryParts() {
		c.compress.Drop()
		c.t.EndParts()
	}
}
