package frame

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Reader cuts messages out of a stream of bytes. The zero Reader is ready. It is not safe for concurrent use.
type Reader struct {
	buf        []byte
	start, end int // what is buffered: buf[start:end]
}

// firstRead is the size of the buffer before a message is known to need more.
const firstRead = 1 << 10

// Next reads the next message of src. p is valid until the next call. A message longer than most, and a stream that ends
// within a message, are errors that are statuses; io.EOF is the end; others come from src.
//
// The buffer grows with what has arrived, at most twofold, never with what a length claims.
func (r *Reader) Next(src io.Reader, most int) (flags byte, p []byte, err error) {
	if err := r.fill(src, HeadSize); err != nil {
		if err == io.EOF && r.end > r.start {
			err = errCut
		}
		return 0, nil, err
	}
	flags, n := parseHead(r.buf[r.start:])
	if n > int64(most) {
		return 0, nil, TooLong(n, most)
	}
	if err := r.fill(src, HeadSize+int(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = errCut
		}
		return 0, nil, err
	}
	p = r.buf[r.start+HeadSize : r.start+HeadSize+int(n)]
	r.start += HeadSize + int(n)
	return flags, p, nil
}

// fill reads until n bytes are buffered.
func (r *Reader) fill(src io.Reader, n int) error {
	for r.end-r.start < n {
		r.makeRoom(n)
		m, err := src.Read(r.buf[r.end:])
		r.end += m
		if m == 0 && err != nil {
			return err
		}
	}
	return nil
}

// makeRoom makes room for at least one more byte, where n bytes are needed from r.start on.
func (r *Reader) makeRoom(n int) {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if r.end < len(r.buf) && r.start+n <= len(r.buf) {
		return
	}
	have := r.end - r.start
	if n <= len(r.buf) && have < len(r.buf) {
		copy(r.buf, r.buf[r.start:r.end])
	} else {
		grown := bufpool.Get(max(firstRead, min(n, 2*have+firstRead)))
		grown = grown[:cap(grown)]
		copy(grown, r.buf[r.start:r.end])
		bufpool.Put(r.buf)
		r.buf = grown
	}
	r.start, r.end = 0, have
}

// Free gives the buffer back. A later Next begins with what the stream has then.
func (r *Reader) Free() {
	bufpool.Put(r.buf)
	*r = Reader{}
}
