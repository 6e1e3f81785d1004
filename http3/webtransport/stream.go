package webtransport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// SendStream is a stream that the client reads. One goroutine at a time may call Write and CloseWrite; any may call the other methods.
type SendStream struct {
	s     *Session
	q     session.Send
	ended atomic.Bool // by us
}

// ReceiveStream is a stream that the client writes. One goroutine at a time may call Read; any may call the other methods.
//
// A stream that is not read to its end must be cancelled by CancelRead: until then it counts as one that the client has open.
type ReceiveStream struct {
	s     *Session
	q     session.Receive
	ended atomic.Bool // we have stopped it
	over  atomic.Bool // its end was read, or it was reset
}

// Stream is a bidirectional stream: a SendStream and a ReceiveStream in one.
type Stream struct {
	SendStream
	ReceiveStream
}

// newStream returns the stream of q. ok is false if the session has ended.
func (s *Session) newStream(q session.Stream) (t *Stream, ok bool) {
	t = &Stream{SendStream{s: s, q: q}, ReceiveStream{s: s, q: q}}
	return t, s.track(&t.SendStream) && s.track(&t.ReceiveStream)
}

// Write sends p. It waits while the client takes too little, until the deadline: then the error is os.ErrDeadlineExceeded. If the
// client has stopped the stream, the error is a *StreamError; if the session has ended, it is the cause of its context.
func (w *SendStream) Write(p []byte) (int, error) {
	if w.ended.Load() {
		return 0, w.s.orClosed()
	}
	n, err := w.q.Write(p)
	if err != nil {
		err = w.s.streamError(err, &w.ended, func() { w.s.untrack(w) })
	}
	return n, err
}

// CloseWrite ends the stream in good order: the client reads what was written, and then its end.
func (w *SendStream) CloseWrite() error {
	if w.ended.Swap(true) {
		return w.s.orClosed()
	}
	w.s.untrack(w)
	return w.q.CloseWrite()
}

// CancelWrite ends the stream at once (RESET_STREAM, RFC 9000 §19.4). The client gets the code instead of the bytes that have not
// arrived.
func (w *SendStream) CancelWrite(code uint32) {
	w.ended.Store(true)
	w.s.untrack(w)
	w.q.Reset(h3frame.AppCode(code))
}

// SetWriteDeadline sets the time until which Write waits; the zero time means no deadline.
func (w *SendStream) SetWriteDeadline(t time.Time) error { return w.q.SetWriteDeadline(t) }

// abort implements half.
func (w *SendStream) abort() {
	w.ended.Store(true)
	w.q.Reset(h3frame.SessionGone)
}

// Read reads bytes of the client, and returns io.EOF at their end. It waits until the deadline: then the error is
// os.ErrDeadlineExceeded. If the client has reset the stream, the error is a *StreamError; if the session has ended, it is the cause
// of its context.
func (r *ReceiveStream) Read(p []byte) (int, error) {
	if r.ended.Load() {
		return 0, r.s.orClosed()
	}
	n, err := r.q.Read(p)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		r.over.Store(true)
		r.s.untrack(r)
		return n, err
	}
	return n, r.s.streamError(err, &r.ended, func() {
		r.over.Store(true)
		r.s.untrack(r)
	})
}

// CancelRead asks the client to stop sending, with a code (STOP_SENDING, RFC 9000 §19.5). Bytes that have arrived and were not
// read are dropped.
func (r *ReceiveStream) CancelRead(code uint32) {
	r.ended.Store(true)
	r.s.untrack(r)
	r.q.Stop(h3frame.AppCode(code))
}

// SetReadDeadline sets the time until which Read waits; the zero time means no deadline.
func (r *ReceiveStream) SetReadDeadline(t time.Time) error { return r.q.SetReadDeadline(t) }

// abort implements half.
func (r *ReceiveStream) abort() {
	r.ended.Store(true)
	r.q.Stop(h3frame.SessionGone)
}

// SetDeadline sets both deadlines.
func (t *Stream) SetDeadline(at time.Time) error {
	return errors.Join(t.SetReadDeadline(at), t.SetWriteDeadline(at))
}

// Close calls CloseWrite, and CancelRead with code 0 if the stream was not read to its end. No goroutine may write meanwhile.
func (t *Stream) Close() error {
	if !t.over.Load() {
		t.CancelRead(0)
	}
	return t.CloseWrite()
}

// abort resets both halves.
func (t *Stream) abort() {
	t.SendStream.abort()
	t.ReceiveStream.abort()
}

// orClosed returns the error of a stream that this side has ended.
func (s *Session) orClosed() error {
	if s.ctx.Err() != nil {
		return s.why(s.ctx, nil)
	}
	return net.ErrClosed
}

// streamError translates err, with which a stream of the session has failed. ended says that this side has ended the stream, and
// over is called if the stream cannot be used any more.
func (s *Session) streamError(err error, ended *atomic.Bool, over func()) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	over()
	if s.ctx.Err() != nil || ended.Load() {
		return s.orClosed()
	}
	if e, ok := errors.AsType[*session.ResetError](err); ok {
		code, ok := e.Code.App()
		return &StreamError{Code: code, HasCode: ok, HTTP3Code: uint64(e.Code)}
	}
	return fmt.Errorf("webtransport: stream broken: %w", err)
}
