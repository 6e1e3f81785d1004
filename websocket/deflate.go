package websocket

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/deflate"
)

// takeoverMemory is what all connections together may keep for context takeover.
var takeoverMemory = deflate.NewBudget(256 << 20)

// SetTakeoverMemory bounds what all connections of the program together keep between messages because of
// ContextTakeover, in bytes; the default is 256 MiB. A connection counts with 4 KiB for what it compresses and with 64 KiB
// for what it decompresses, less if a smaller window was agreed on. When there is no room for one of them, further
// connections go without takeover in that direction; those that have it keep it. Handshakes that are under way at once
// may exceed the bound by 64 KiB each. A bound of 0 ends takeover. It may be called at any time.
func SetTakeoverMemory(bytes int64) { takeoverMemory.SetLimit(bytes) }

// TakeoverMemory returns how much of that is taken. It may be called at any time.
func TakeoverMemory() int64 { return takeoverMemory.Used() }

func roomToDeflate(s deflateSide) bool {
	return takeoverMemory.Room(int64(deflate.CompressorSize(s.window())))
}

func roomToInflate(s deflateSide) bool {
	return takeoverMemory.Room(int64(deflate.DecompressorSize(s.window())))
}

// deflater compresses the messages of one connection.
type deflater struct {
	deflate.Compressor
	taken atomic.Int64 // of takeoverMemory
}

// newDeflater returns what compresses for s. Nobody need be told that it goes without takeover.
func newDeflater(s deflateSide) *deflater {
	size := int64(deflate.CompressorSize(s.window()))
	if s.fresh || !takeoverMemory.Reserve(size) {
		return &freshDeflaters[s.window()]
	}
	d := &deflater{Compressor: deflate.NewCompressor(s.window(), true)}
	d.taken.Store(size)
	return d
}

// Without takeover nothing is kept between messages, and those with the same window share one. Indexed by its bits.
var (
	freshDeflaters [deflate.MaxBits + 1]deflater
	freshInflaters [deflate.MaxBits + 1]inflater
)

func init() {
	for bits := range deflate.MaxBits + 1 {
		freshDeflaters[bits].Compressor = deflate.NewCompressor(bits, false)
		freshInflaters[bits].Decompressor = deflate.NewDecompressor(bits, false)
	}
}

// message returns p compressed (RFC 7692 §7.2.1), leased. With takeover calls are in the order in which the messages
// are sent, and one at a time.
func (d *deflater) message(p []byte) ([]byte, error) { return d.Message(p) }

// independent reports whether messages may be compressed in any order, at the same time, and not be sent at all. It is
// false without compression.
func (d *deflater) independent() bool { return d != nil && !d.Takeover() }

// takes reports whether the peer can read what compressAlone makes of n bytes: copies reach back no further than to the
// beginning of a message, and not beyond the window (RFC 7692 §7.1.2).
func (d *deflater) takes(n int) bool {
	return d.independent() && (n <= 1<<d.Bits() || d.Bits() == deflate.MaxBits)
}

// compressAlone compresses p for any number of connections, see takes. The result is leased.
func compressAlone(p []byte) ([]byte, error) { return deflate.Compress(p, deflate.MaxBits) }

// inflater decompresses the messages of one connection, or, without takeover, of any.
type inflater struct {
	deflate.Decompressor
	taken atomic.Int64 // of takeoverMemory
}

// newInflater returns what decompresses for s. With takeover it must do so, whatever memory is left.
func newInflater(s deflateSide) *inflater {
	if s.fresh {
		return &freshInflaters[s.window()]
	}
	i := &inflater{Decompressor: deflate.NewDecompressor(s.window(), true)}
	i.taken.Store(int64(deflate.DecompressorSize(s.window())))
	takeoverMemory.Charge(i.taken.Load())
	return i
}

// message returns what p says (RFC 7692 §7.2.2), leased: at most limit bytes, 0 for any number. The error is errInflate
// or ErrTooBig, and the last message was the last.
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

// dropContexts gives back what c keeps between messages, when it is over or never began. Nobody reads any more; if
// somebody still writes, what the compressor keeps is left to the garbage collector.
func (c *Conn) dropContexts() {
	if c.compress == nil {
		return
	}
	takeoverMemory.Release(c.compress.taken.Swap(0) + c.in.inflate.taken.Swap(0))
	c.in.inflate.Drop()
	if c.t == nil { // it never began
		c.compress.Drop()
	} else if c.t.TryParts() {
		c.compress.Drop()
		c.t.EndParts()
	}
}
