package deflate

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// level is the fastest level. On messages of a few kilobytes the slower levels gain little and cost much more.
const level = flate.BestSpeed

// output is an io.Writer that appends to a buffer from the pool.
type output struct{ p []byte }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	at := len(o.p)
	o.p = bufpool.Grow(o.p, at+len(p))
	copy(o.p[at:], p)
	return len(p), nil
}

// begin gets a buffer for the compressed form of a message of size bytes.
func (o *output) begin(size int) { o.p = bufpool.Get(size/2 + 64)[:0] }

// end returns the message without the last four bytes of its final empty block, which are not sent (RFC 7692 §7.2.1).
// err is the compressor's error.
func (o *output) end(err error) ([]byte, error) {
	out, whole := bytes.CutSuffix(o.p, []byte("\x00\x00\xff\xff"))
	o.p = nil
	if err == nil && !whole {
		err = errUnflushed
	}
	if err != nil {
		bufpool.Put(out)
		return nil, err
	}
	return out, nil
}

// writer compresses messages without context.
type writer struct {
	output
	flate *flate.Writer
}

// writers pools writers by the size of their window in bits.
var writers [MaxBits + 1]sync.Pool

// writerFor returns a writer from the pool, or a new one. Its window is at most 1<<bits bytes.
func writerFor(bits int) (w *writer, err error) {
	if w, ok := writers[bits].Get().(*writer); ok {
		w.flate.Reset(&w.output)
		return w, nil
	}
	w = new(writer)
	if bits == MaxBits {
		w.flate, err = flate.NewWriter(&w.output, level)
	} else {
		w.flate, err = flate.NewWriterWindow(&w.output, 1<<bits)
	}
	return w, err
}

// Compress compresses p without context, for a peer with a window of 1<<bits bytes.
func Compress(p []byte, bits int) ([]byte, error) {
	if len(p) <= 1<<bits {
		bits = MaxBits // no copy reaches back beyond the beginning of the message, so the fastest compressor will do
	}
	w, err := writerFor(bits)
	if err != nil {
		return nil, err
	}
	defer writers[bits].Put(w)
	w.begin(len(p))
	if _, err = w.flate.Write(p); err == nil {
		err = w.flate.Flush()
	}
	return w.end(err)
}
