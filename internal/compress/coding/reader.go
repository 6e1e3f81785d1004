package coding

import (
	"io"
	"net"
	"sync/atomic"
)

// Reader reads a body and decodes its content codings. Read and Reset must not be called concurrently. Close may be called
// during a Read, which it does not interrupt. The zero Reader is closed; Reset opens it.
type Reader struct {
	body   source
	stages [maxCodings]*stage // the first one reads the body
	n      int
	err    error
	state  atomic.Uint32
}

// Bits of Reader.state.
const (
	open = 1 << iota
	busy // a Read is in progress: the stages belong to it
)

// NewReader returns a new Reader after Reset.
func NewReader(src io.Reader, codings string, limits Limits) (*Reader, error) {
	r := new(Reader)
	if err := r.Reset(src, codings, limits); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset closes r and opens it for src, a body with the given codings: the value of Content-Encoding, or the values of
// several such fields separated by commas. Reset reads nothing from src and does not keep codings. If a coding is unknown,
// or there are more than four, Reset returns an *Error and r stays closed; the body must then be used as it is.
//
// If the list is empty, or only has "identity", src is read as it is and without limits.
func (r *Reader) Reset(src io.Reader, codings string, limits Limits) error {
	r.Close()
	list, n, err := parse(codings)
	if err != nil {
		return err
	}
	r.body = source{Reader: src, limits: limits.withDefaults()}
	r.n, r.err = n, nil
	var from input = &r.body
	for i := range n { // the last coding was applied last and is decoded first
		s := newStage(list[n-1-i], from, &r.body)
		r.stages[i], from = s, s
	}
	r.state.Store(open)
	return nil
}

// Read returns the part of the body that is available, and waits only if there is none. It returns io.EOF after src has,
// io.ErrUnexpectedEOF if the encoded data ends early, src's own error, or an *Error if the body is malformed, perhaps
// together with the last bytes before the error. After Close it returns net.ErrClosed.
func (r *Reader) Read(p []byte) (int, error) {
	if !r.state.CompareAndSwap(open, open|busy) {
		if r.state.Load()&open == 0 {
			return 0, net.ErrClosed
		}
		return 0, errTwoReads
	}
	n, err := r.read(p)
	if !r.state.CompareAndSwap(open|busy, open) {
		r.release() // Close was called meanwhile
	}
	return n, err
}

func (r *Reader) read(p []byte) (n int, err error) {
	switch {
	case r.err != nil:
		return 0, r.err
	case r.n == 0:
		n, err = r.body.Read(p)
	default:
		n, err = r.stages[r.n-1].Read(p)
	}
	if err != nil {
		r.err = err
		r.release()
	}
	return n, err
}

// Close returns the decoders to their pools. It does not close src. If a Read is in progress Close returns at once, and
// the Read returns the decoders. Close returns nil.
func (r *Reader) Close() error {
	if r.state.And(^uint32(open)) == open {
		r.release()
	}
	return nil
}

func (r *Reader) release() {
	for i, s := range r.stages[:r.n] {
		s.release()
		r.stages[i] = nil
	}
	r.n = 0
	r.body.Reader = nil
}
