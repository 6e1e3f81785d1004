package quicconn

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Receive is a stream of the peer's that can only be read.
type Receive struct{ s *quic.ReceiveStream }

func (s Receive) Read(p []byte) (int, error) { return s.s.Read(p) }
func (s Receive) Stop(code h3frame.Code)     { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s Receive) Release()                   { s.s.ReleaseStreamCredit() }
func (s Receive) Interrupt()                 { s.s.SetReadDeadline(past) }
func (s Receive) ReadAgain()                 { s.s.SetReadDeadline(time.Time{}) }

// ReadNow reads what is there. If there is nothing it waits for a moment, and returns an error of which WasInterrupted is true.
func (s Receive) ReadNow(p []byte) (int, error) {
	s.s.SetReadDeadline(time.Now().Add(time.Millisecond))
	return s.s.Read(p)
}

// Send is a stream of ours that can only be written.
type Send struct{ s *quic.SendStream }

func (s Send) Write(p []byte) (int, error) { return s.s.Write(p) }

// Stream is a request stream.
type Stream struct{ s *quic.Stream }

func (s Stream) ID() uint64                         { return uint64(s.s.StreamID()) }
func (s Stream) Read(p []byte) (int, error)         { return s.s.Read(p) }
func (s Stream) Write(p []byte) (int, error)        { return s.s.Write(p) }
func (s Stream) End() error                         { return s.s.Close() }
func (s Stream) Stop(code h3frame.Code)             { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s Stream) Reset(code h3frame.Code)            { s.s.CancelWrite(quic.StreamErrorCode(code)) }
func (s Stream) Release()                           { s.s.ReleaseStreamCredit() }
func (s Stream) Prioritize(urgency uint8, inc bool) { s.s.SetPriority(int8(urgency), inc) }

// WriteAll writes p if that need not wait. Else it writes nothing, and returns false.
func (s Stream) WriteAll(p []byte) (done bool, err error) {
	err = s.s.TryWriteAll(p)
	if err == quic.ErrWouldBlock {
		return false, nil
	}
	return err == nil, err
}

// InterruptRead and InterruptWrite end a call that waits with an error. ReadAgain and WriteAgain allow further ones.
func (s Stream) InterruptRead()  { s.s.SetReadDeadline(past) }
func (s Stream) InterruptWrite() { s.s.SetWriteDeadline(past) }
func (s Stream) ReadAgain()      { s.s.SetReadDeadline(time.Time{}) }
func (s Stream) WriteAgain()     { s.s.SetWriteDeadline(time.Time{}) }

var past = time.Unix(1, 0)

// WasInterrupted reports whether err is that of a call which InterruptRead or InterruptWrite has ended.
func WasInterrupted(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// OnEnd calls f on a goroutine of its own when the client wants no response any more, or the connection has ended; not when we end
// our side.
func (s Stream) OnEnd(f func()) (stop func() bool) {
	ctx := s.s.Context()
	return context.AfterFunc(ctx, func() {
		if context.Cause(ctx) != quic.ErrStreamClosed {
			f()
		}
	})
}

// Unwanted reports whether the client wants no response any more, or the connection has ended.
func (s Stream) Unwanted() bool {
	ctx := s.s.Context()
	return ctx.Err() != nil && context.Cause(ctx) != quic.ErrStreamClosed
}

// ResetBy returns the code with which the peer has ended a stream for err.
func ResetBy(err error) (code h3frame.Code, ok bool) {
	e, ok := errors.AsType[*quic.StreamError](err)
	if !ok || !e.Remote {
		return 0, false
	}
	return h3frame.Code(e.ErrorCode), true
}
