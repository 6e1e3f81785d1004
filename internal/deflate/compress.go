package deflate

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// level is the fastest one. On messages of some kilobytes the slower ones gain little, and cost the more.
const level = flate.BestSpeed

// writer is a compressor that appends to a lease.
type writer struct {
	flate *flate.Writer
	out   []byte
}

// writers are compressors without a context, by the bits of their windows.
var writers [MaxBits + 1]sync.Pool

// writerFor returns a compressor that nobody else uses. Its window is not larger than 1<<bits bytes.
func writerFor(bits int) (*writer, error) {
	if w, ok := writers[bits].Get().(*writer); ok {
		w.flate.Reset(w)
		return w, nil
	}
	return newWriter(bits)
}

func newWriter(bits int) (w *writer, err error) {
	w = new(writer)
	if bits == MaxBits {
		w.flate, err = flate.NewWriter(w, level)
	} else {
		w.flate, err = flate.NewWriterWindow(w, 1<<bits)
	}
	return w, err
}

// Write implements io.Writer for the compressor.
func (w *writer) Write(p []byte) (int, error) {
	at := len(w.out)
	w.out = bufpool.Grow(w.out, at+len(p))
	copy(w.out[at:], p)
	return len(p), nil
}

// message compresses p and ends it with an empty block, whose end does not travel (RFC 7692 §7.2.1).
func (w *writer) message(p []byte) ([]byte, error) {
	w.out = bufpool.Get(len(p)/2 + 64)[:0]
	_, err := w.flate.Write(p)
	if err == nil {
		err = w.flate.Flush()
	}
	out, whole := bytes.CutSuffix(w.out, []byte("\x00\x00\xff\xff"))
	w.out = nil
	if err == nil && !whole {
		err = errUnflushed
	}
	if err != nil {
		bufpool.Put(out)
		return nil, err
	}
	return out, nil
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
	return w.message(p)
}
