package permessage

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/internal/core/budget"
)

// Contexts compress the messages that one end of a connection sends, and decompress those that it receives. Without
// takeover in both directions nothing is kept between messages, and all connections with the same windows share one.
type Contexts struct {
	out    deflate.Compressor
	in     deflate.Decompressor
	memory *budget.Budget // nil if it is shared
	taken  atomic.Int64   // bytes of memory
}

// shared has the Contexts without takeover. The indexes are the sizes of the windows in bits, out and in.
var shared [deflate.MaxBits + 1][deflate.MaxBits + 1]Contexts

func init() {
	for out := deflate.MinBits; out <= deflate.MaxBits; out++ {
		for in := deflate.MinBits; in <= deflate.MaxBits; in++ {
			c := &shared[out][in]
			c.out, c.in = deflate.NewCompressor(out, false), deflate.NewDecompressor(in, false)
		}
	}
}

// Server returns the Contexts of the server's end.
func (p *Params) Server(memory *budget.Budget) *Contexts {
	return start(p.FromServer, p.FromClient, memory)
}

// Client returns the Contexts of the client's end.
func (p *Params) Client(memory *budget.Budget) *Contexts {
	return start(p.FromClient, p.FromServer, memory)
}

// start returns Contexts that compress with the parameters of out and decompress with those of in. If memory is short,
// out has no takeover, which the peer need not know. The peer decides whether it uses takeover itself, so memory is
// charged for that even if it is short.
func start(out, in Side, memory *budget.Budget) *Contexts {
	keepsOut := !out.NoTakeover && memory.Reserve(int64(deflate.CompressorSize(out.window())))
	if !keepsOut && in.NoTakeover {
		return &shared[out.window()][in.window()]
	}
	c := &Contexts{
		out: deflate.NewCompressor(out.window(), keepsOut), in: deflate.NewDecompressor(in.window(), !in.NoTakeover), memory: memory,
	}
	taken := int64(0)
	if keepsOut {
		taken += int64(deflate.CompressorSize(out.window()))
	}
	if !in.NoTakeover {
		size := int64(deflate.DecompressorSize(in.window()))
		memory.Charge(size)
		taken += size
	}
	c.taken.Store(taken)
	return c
}

// Compress returns p compressed (RFC 7692 §7.2.1), in a buffer from the pool. Unless it is Independent, calls must not be
// concurrent, and must be in the order in which the messages are sent.
func (c *Contexts) Compress(p []byte) ([]byte, error) { return c.out.Message(p) }

// Independent reports whether each message is compressed by itself, so that messages may be compressed concurrently, in
// any order, and need not be sent. It is false without compression, when c is nil.
func (c *Contexts) Independent() bool { return c != nil && !c.out.Takeover() }

// PeerCanRead reports whether the peer can decompress the output of CompressAlone for n bytes. References reach back at
// most to the beginning of the message, and must not reach beyond the window (RFC 7692 §7.1.2).
func (c *Contexts) PeerCanRead(n int) bool {
	return c.Independent() && (n <= 1<<c.out.Bits() || c.out.Bits() == deflate.MaxBits)
}

// CompressAlone compresses p for any number of connections; see PeerCanRead. The result is in a buffer from the pool.
func CompressAlone(p []byte) ([]byte, error) { return deflate.Compress(p, deflate.MaxBits) }

// Decompress returns p decompressed (RFC 7692 §7.2.2), in a buffer from the pool. limit is the maximum length, 0 for none.
// The error is deflate.ErrCorrupt or deflate.ErrTooBig; after an error no further message can be decompressed.
func (c *Contexts) Decompress(p []byte, limit int64) ([]byte, error) { return c.in.Message(p, limit) }

// Release gives back what is kept for decompression, and all memory that is counted. Nothing may be decompressed
// afterwards. What is kept for compression is left to ReleaseCompressor, or to the garbage collector.
func (c *Contexts) Release() {
	if c.memory == nil {
		return
	}
	c.memory.Release(c.taken.Swap(0))
	c.in.Drop()
}

// ReleaseCompressor gives back what is kept for compression. Nothing may be compressed at the same time.
func (c *Contexts) ReleaseCompressor() {
	if c.memory != nil {
		c.out.Drop()
	}
}
