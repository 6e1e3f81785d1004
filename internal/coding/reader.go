package coding

import (
	"io"
	"net"
	"sync/atomic"
)

// Reader reads a body with its content codings undone. Read and Reset are not for several goroutines at once; Close may
// be called during a Read, which it does not end. The zero Reader is a closed one; Reset opens it.
type Reader struct {
	body   source
	stages [maxCodings]*stage // the first reads the body
	n      int
	err    error
	state  atomic.Uint32
}

// The bits of Reader.state.
const (
	open = 1 << iota
	busy // a Read is going on: the stages are its
)

// NewReader is Reset of a new Reader.
func NewReader(src io.Reader, codings string, limits Limits) (*Reader, error) {
	r := new(Reader)
	if err := r.Reset(src, codings, limits); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset closes r and has it read src, a body with these codings: the value of Content-Encoding, or the values of several
// such lines with commas between. It keeps nothing of codings and reads nothing. With an *Error r stays closed: then a
// coding is unknown, or there are more than four, and the body is to be taken as it is.
//
// With a list of no coding, or of "identity", src is read as it is and without limits.
func (r *Reader) Reset(src io.Reader, codings string, limits Limits) error {
	r.Close()
	list, n, err := parse(codings)
	if err != nil {
		return err
	}
	r.body = source{Reader: src, limits: limits.resolved()}
	r.n, r.err = n, nil
	var from below = &r.body
	for i := range n { // the last that was applied is undone first
		s := newStage(list[n-1-i], from, &r.body)
		r.stages[i], from = s, s
	}
	r.state.Store(open)
	return nil
}

// Read returns what there is of the body, and waits only if that is nothing. It says io.EOF after the source has said so,
// io.ErrUnexpectedEOF if what is coded ends early, the source's error as it is, and for what is wrong with the body an
// *Error, which may come with the last bytes before it. After Close it returns net.ErrClosed.
func (r *Reader) Read(p []byte) (int, error) {
	if !r.state.CompareAndSwap(open, open|busy) {
		if r.state.Load()&open == 0 {
			return 0, net.ErrClosed
		}
		return 0, errTwoReads
	}
	n, err := r.read(p)
	if !r.state.CompareAndSwap(open|busy, open) {
		r.free() // it was closed meanwhile
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
		r.free()
	}
	return n, err
}

// Close gives back what r has borrowed; src is not closed. Called during a Read it returns at once, and the Read gives
// back. It returns nil.
func (r *Reader) Close() error {
	if r.state.And(^uint32(open)) == open {
		r.free()
	}
	return nil
}

func (r *Reader) free() {
	for i, s := range r.stages[:r.n] {
		s.free()
		r.stages[i] = nil
	}
	r.n = 0
	r.body.Reader = nil
}
