package deflate

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// level is the fastest one. On messages of some kilobytes the slower ones gain little, and cost the more.
const level = flate.BestSpeed

// output is a lease that a compressor appends to.
type output struct{ p []byte }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	at := len(o.p)
	o.p = bufpool.Grow(o.p, at+len(p))
	copy(o.p[at:], p)
	return len(p), nil
}

// begin makes room for a message of size bytes, compressed.
func (o *output) begin(size int) { o.p = bufpool.Get(size/2 + 64)[:0] }

// end returns the message without the end of its last, empty block, which does not travel (RFC 7692 §7.2.1). err is what
// the compressor said.
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

// writer is a compressor for messages that stand for themselves.
type writer struct {
	output
	flate *flate.Writer
}

// writers are used again, by the bits of their windows.
var writers [MaxBits + 1]sync.Pool

// writerFor returns a writer that nobody else uses. Its window is not larger than 1<<bits bytes.
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

// Compress compresses p without a context, for a peer whose window has 1<<bits bytes.
func Compress(p []byte, bits int) ([]byte, error) {
	if len(p) <= 1<<bits {
		bits = MaxBits // no copy can reach back further than to the beginning: the fastest compressor will do
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
