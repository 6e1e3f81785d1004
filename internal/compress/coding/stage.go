package coding

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// input is what a stage reads from: the body as it was received, or another stage. After an error it is not read again.
type input interface {
	io.Reader
	// failed returns the error that has ended the input, nil if there is none yet.
	failed() error
}

// source is the body as it was received.
type source struct {
	io.Reader
	n      int64 // bytes that have been read from it
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

// stage decodes one coding of a body.
type stage struct {
	kind    kind
	decoder decoder
	buf     *bufio.Reader // reads from input; it spares decoders a buffer of their own
	input   input
	body    *source
	out     int64
	started bool // begin has been called
	inPart  bool // a part has begun, and its end has not been reached
	err     error
}

// stagePools hold unused stages, by kind.
var stagePools [kinds]sync.Pool

func newStage(k kind, from input, body *source) *stage {
	s, ok := stagePools[k].Get().(*stage)
	if !ok {
		s = &stage{kind: k, decoder: newDecoder(k), buf: bufio.NewReader(nil)}
	}
	s.input, s.body = from, body
	s.buf.Reset(from)
	return s
}

// release returns s to its pool. Only s.buf still refers to data of the body, and it is reset.
func (s *stage) release() {
	s.buf.Reset(nil)
	*s = stage{kind: s.kind, decoder: s.decoder, buf: s.buf}
	stagePools[s.kind].Put(s)
}

func (s *stage) failed() error { return s.err }

// Read returns the available data without waiting for more. It returns io.EOF only if the input has: then the body has
// been read to its end, and its connection can be reused.
func (s *stage) Read(p []byte) (n int, err error) {
	for n == 0 && s.err == nil && len(p) > 0 {
		if !s.inPart {
			s.err = s.begin()
			continue
		}
		if n, err = s.decoder.Read(p); err == io.EOF {
			s.inPart = false
		} else if err != nil {
			s.err = s.wrapError(err)
		}
	}
	if n > 0 {
		n = s.count(n)
	}
	return n, s.err
}

// begin begins the next part of the input. Empty input is accepted with any coding, since responses to HEAD and responses
// with Content-Length: 0 may have a Content-Encoding. Only gzip may have further parts (RFC 1952 §2.2).
func (s *stage) begin() error {
	if _, err := s.buf.Peek(1); err != nil {
		return err
	}
	if s.started && s.kind != gzipKind {
		return &Error{names[s.kind], ErrTrailing}
	}
	s.started, s.inPart = true, true
	if err := s.decoder.begin(s.buf); err != nil {
		return s.wrapError(err)
	}
	return nil
}

// wrapError returns the error to report when the decoder has failed with err. An error of the input is returned as it is,
// even if the decoder has reported it as the end of its input.
func (s *stage) wrapError(err error) error {
	cause := s.input.failed()
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

// count counts n more decoded bytes and returns how many of them are within the limits.
func (s *stage) count(n int) int {
	s.out += int64(n)
	err := s.body.limits.check(s.body.n, s.out)
	if err == nil {
		return n
	}
	s.err = &Error{names[s.kind], err}
	if err == ErrTooBig {
		n -= int(min(int64(n), s.out-s.body.limits.Bytes))
	}
	return n
}
