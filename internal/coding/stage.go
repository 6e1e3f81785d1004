package coding

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// below is what a stage reads from: the body as it came, or another stage. Once it has failed it is not read again.
type below interface {
	io.Reader
	// failed returns the error with which it ended, nil before that.
	failed() error
}

// source is the body as it came.
type source struct {
	io.Reader
	n      int64 // what was read of it, in bytes
	err    error
	limits Limits
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	n, s.err = s.Reader.Read(p)
	s.n += int64(n)
	return n, s.err
}

func (s *source) failed() error { return s.err }

// stage undoes one coding of a body.
type stage struct {
	kind    kind
	decoder decoder
	buf     *bufio.Reader // of below; decoders that would buffer by themselves are content with it
	below   below
	body    *source
	out     int64
	begun   bool // a part of below is or was decoded
	within  bool // its end has not come
	err     error
}

// stages are those of each kind that no body has.
var stages [kinds]sync.Pool

func newStage(k kind, from below, body *source) *stage {
	s, ok := stages[k].Get().(*stage)
	if !ok {
		s = &stage{kind: k, decoder: newDecoder(k), buf: bufio.NewReader(nil)}
	}
	s.below, s.body = from, body
	s.buf.Reset(from)
	return s
}

// free puts s back. What it was given is forgotten: the decoder knows only s.buf.
func (s *stage) free() {
	s.buf.Reset(nil)
	*s = stage{kind: s.kind, decoder: s.decoder, buf: s.buf}
	stages[s.kind].Put(s)
}

func (s *stage) failed() error { return s.err }

// Read returns what there is without waiting for more. It says io.EOF only if that is what below said: then nothing is
// left of the body, and the connection can be used for the next.
func (s *stage) Read(p []byte) (n int, err error) {
	for n == 0 && s.err == nil && len(p) > 0 {
		if !s.within {
			s.err = s.begin()
			continue
		}
		if n, err = s.decoder.Read(p); err == io.EOF {
			s.within = false
		} else if err != nil {
			s.err = s.reason(err)
		}
	}
	if n > 0 {
		n = s.count(n)
	}
	return n, s.err
}

// begin begins the next part of below. An empty body is none and is read as such, whatever its coding: answers to HEAD
// and those with Content-Length: 0 have fields like others. Parts after the first are gzip's (RFC 1952 §2.2).
func (s *stage) begin() error {
	if _, err := s.buf.Peek(1); err != nil {
		return err
	}
	if s.begun && s.kind != gzipKind {
		return &Error{names[s.kind], ErrTrailing}
	}
	s.begun, s.within = true, true
	if err := s.decoder.begin(s.buf); err != nil {
		return s.reason(err)
	}
	return nil
}

// reason returns the error to tell when the decoder says err. What is wrong below is told as it is, also where a decoder
// makes of it that its input has ended.
func (s *stage) reason(err error) error {
	cause := s.below.failed()
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		if cause != nil && cause != io.EOF {
			return cause
		}
		return io.ErrUnexpectedEOF
	case cause != nil && errors.Is(err, cause):
		return err
	}
	return &Error{names[s.kind], err}
}

// count counts n more bytes and returns how many of them are within the limits.
func (s *stage) count(n int) int {
	s.out += int64(n)
	err := s.body.limits.judge(s.body.n, s.out)
	if err == nil {
		return n
	}
	s.err = &Error{names[s.kind], err}
	if err == ErrTooBig {
		n -= int(min(int64(n), s.out-s.body.limits.Bytes))
	}
	return n
}
