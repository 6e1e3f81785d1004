package quicconn

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Receive is a stream that the peer has opened and only it writes.
type Receive struct{ s *quic.ReceiveStream }

// Read waits for bytes.
func (s Receive) Read(p []byte) (int, error) { return s.s.Read(p) }

// Stop asks the peer to stop sending (STOP_SENDING).
func (s Receive) Stop(code h3frame.Code) { s.s.CancelRead(quic.StreamErrorCode(code)) }

// Release lets the peer open another stream, when this one has ended.
func (s Receive) Release() { s.s.ReleaseStreamCredit() }

// Interrupt ends a Read that waits, and later ones, with an error for which WasInterrupted returns true.
func (s Receive) Interrupt() { s.s.SetReadDeadline(past) }

// ReadAgain ends the effect of Interrupt.
func (s Receive) ReadAgain() { s.s.SetReadDeadline(time.Time{}) }

// ReadNow reads bytes that have arrived. If there are none it waits for a moment, and returns an error for which WasInterrupted
// returns true.
func (s Receive) ReadNow(p []byte) (int, error) {
	s.s.SetReadDeadline(time.Now().Add(time.Millisecond))
	return s.s.Read(p)
}

// Send is a stream that this side has opened and only it writes.
type Send struct{ s *quic.SendStream }

// Write writes p. It waits while flow control does not allow more.
func (s Send) Write(p []byte) (int, error) { return s.s.Write(p) }

// Stream is a request stream.
type Stream struct{ s *quic.Stream }

// ID returns the stream's identifier.
func (s Stream) ID() uint64 { return uint64(s.s.StreamID()) }

// Read waits for bytes.
func (s Stream) Read(p []byte) (int, error) { return s.s.Read(p) }

// Write writes p. It waits while flow control does not allow more.
func (s Stream) Write(p []byte) (int, error) { return s.s.Write(p) }

// End ends this side of the stream (FIN).
func (s Stream) End() error { return s.s.Close() }

// Stop asks the peer to stop sending (STOP_SENDING).
func (s Stream) Stop(code h3frame.Code) { s.s.CancelRead(quic.StreamErrorCode(code)) }

// Reset ends this side of the stream at once (RESET_STREAM).
func (s Stream) Reset(code h3frame.Code) { s.s.CancelWrite(quic.StreamErrorCode(code)) }

// Release lets the peer open another stream, when this one has ended.
func (s Stream) Release() { s.s.ReleaseStreamCredit() }

// Prioritize says in which order streams are sent (RFC 9218 §4).
func (s Stream) Prioritize(urgency uint8, inc bool) { s.s.SetPriority(int8(urgency), inc) }

// WriteAll writes all of p if it need not wait. Otherwise it writes nothing and returns false.
func (s Stream) WriteAll(p []byte) (done bool, err error) {
	err = s.s.TryWriteAll(p)
	if err == quic.ErrWouldBlock {
		return false, nil
	}
	return err == nil, err
}

// InterruptRead ends a Read that waits, and later ones, with an error for which WasInterrupted returns true.
func (s Stream) InterruptRead() { s.s.SetReadDeadline(past) }

// InterruptWrite does the same to Write.
func (s Stream) InterruptWrite() { s.s.SetWriteDeadline(past) }

// ReadAgain ends the effect of InterruptRead.
func (s Stream) ReadAgain() { s.s.SetReadDeadline(time.Time{}) }

// WriteAgain ends the effect of InterruptWrite.
func (s Stream) WriteAgain() { s.s.SetWriteDeadline(time.Time{}) }

var past = time.Unix(1, 0)

// WasInterrupted reports whether err is the error of a call that Interrupt, InterruptRead or InterruptWrite has ended.
func WasInterrupted(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// OnEnd calls f on a goroutine of its own when the client no longer wants a response, or the connection has ended; not when this
// side ends its half.
func (s Stream) OnEnd(f func()) (stop func() bool) {
	ctx := s.s.Context()
	return context.AfterFunc(ctx, func() {
		if context.Cause(ctx) != quic.ErrStreamClosed {
			f()
		}
	})
}

// Unwanted reports whether the client no longer wants a response, or the connection has ended.
func (s Stream) Unwanted() bool {
	ctx := s.s.Context()
	return ctx.Err() != nil && context.Cause(ctx) != quic.ErrStreamClosed
}

// ResetBy returns the code with which the peer has ended a stream, if err says so.
func ResetBy(err error) (code h3frame.Code, ok bool) {
	e, ok := errors.AsType[*quic.StreamError](err)
	if !ok || !e.Remote {
		return 0, false
	}
	return h3frame.Code(e.ErrorCode), true
}
