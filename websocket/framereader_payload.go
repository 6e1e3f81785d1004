package websocket

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
)

// deliver reads the payload of the current frame into dst, which has its length. On an error it keeps the bytes read so
// far.
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

// hold reads the whole payload of the current frame, of the given size, into f.held, for a later call with a larger
// buffer.
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

// payload reads some of the current frame's payload into dst, unmasked. dst must not be longer than the rest of the
// payload.
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

// read reads from the source. It returns some bytes or an error, never both.
func (f *FrameReader) read(p []byte) (n int, err error) {
	if err := f.pendingErr; err != nil {
		f.pendingErr = nil
		return 0, err
	}
	for range emptyReads {
		if n, err = f.src.Read(p); n > 0 {
			f.pendingErr = err
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}
