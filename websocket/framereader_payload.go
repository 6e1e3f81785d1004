package websocket

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/mask"
)

// deliver puts the payload of the frame in hand into dst, which is as long. What has come when reading fails is held.
func (f *FrameReader) deliver(dst []byte) error {
	n := copy(dst, f.held)
	for n < len(dst) {
		k, err := f.payload(dst[n:])
		if n += k; err != nil {
			f.held = bufpool.Grow(f.held, n)
			copy(f.held, dst[:n])
			return err
		}
	}
	bufpool.Put(f.held)
	f.held, f.framed = nil, false
	return nil
}

// hold gathers the payload of the frame in hand, which is size bytes long, until somebody has room for it.
func (f *FrameReader) hold(size int) error {
	for len(f.held) < size {
		at := len(f.held)
		room := min(size-at, max(frameRead, at))
		f.held = bufpool.Grow(f.held, at+room)[:at]
		n, err := f.payload(f.held[at : at+room])
		f.held = f.held[:at+n]
		if err != nil {
			return err
		}
	}
	return nil
}

// payload reads some payload of the frame in hand, unmasked, into dst, which has no room for more than that.
func (f *FrameReader) payload(dst []byte) (n int, err error) {
	if f.from == f.to && len(dst) < len(f.buf) {
		f.from, f.to = 0, 0
		f.to, err = f.read(f.buf)
	}
	if f.from < f.to {
		n = min(len(dst), f.to-f.from)
		f.head.Key = mask.XOR(dst, f.buf[f.from:f.from+n], f.head.Key)
		f.from += n
		return n, nil
	}
	if err == nil {
		n, err = f.read(dst)
		f.head.Key = mask.XOR(dst, dst[:n], f.head.Key)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// read reads from the source: some bytes, or an error.
func (f *FrameReader) read(p []byte) (n int, err error) {
	if err := f.later; err != nil {
		f.later = nil
		return 0, err
	}
	for range emptyReads {
		if n, err = f.src.Read(p); n > 0 {
			f.later = err
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}
