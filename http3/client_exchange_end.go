package http3

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// abort ends both halves of the stream with a code (RFC 9114 §4.1.1). Reading and sending fail with why. It does nothing if the response
// was read to its end.
func (x *clientExchange) abort(code h3frame.Code, why error) {
	x.mu.Lock()
	if x.why != nil || x.over {
		x.mu.Unlock()
		return
	}
	x.why = why
	x.proceed.EndLocked()
	x.mu.Unlock()
	x.str.reset(code)
	x.str.stop(code)
}

// leftOut is called when the server's GOAWAY has left the request out. A response that has begun goes on.
func (x *clientExchange) leftOut() {
	x.mu.Lock()
	final := x.final
	x.mu.Unlock()
	if !final {
		x.abort(h3frame.RequestCancelled, &unprocessedError{errGoAway})
	}
}

// refuse ends the stream, or the connection, for a rule that the server has broken. It returns the error of the request.
func (x *clientExchange) refuse(e *h3frame.Error) error {
	if e.Scope == h3frame.Connection {
		x.k.fail(e)
	}
	x.abort(e.Code, e)
	return e
}

// failed returns the meaning of err, with which reading has failed.
func (x *clientExchange) failed(err error) error {
	k := x.k
	x.mu.Lock()
	why := x.why
	x.mu.Unlock()
	if why != nil {
		return why
	}
	code, reset := resetBy(err)
	switch {
	case rejectedEarly(err):
		return k.rejected(err)
	case reset && code == h3frame.RequestRejected:
		return &unprocessedError{&StreamError{Code: uint64(code), ByServer: true}}
	case reset:
		return &StreamError{Code: uint64(code), ByServer: true}
	}
	return k.noteEnd(err)
}

// ended notes with what reading has come to its end: io.EOF, or why it has failed.
func (x *clientExchange) ended(err error) {
	if err != io.EOF {
		return
	}
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
	x.k.earn(earnMessage, 0)
}

// join adds a goroutine that uses the stream.
func (x *clientExchange) join() {
	x.mu.Lock()
	x.users++
	x.mu.Unlock()
}

// Leave implements carrier.ClientStream. The last one ends what has not ended.
func (x *clientExchange) Leave() {
	x.mu.Lock()
	x.users--
	last, sent, over := x.users == 0, x.sent, x.over
	if last && x.headTimer != nil {
		x.headTimer.Stop()
	}
	x.proceed.EndLocked()
	x.mu.Unlock()
	if !last {
		return
	}
	x.idleTimer.stop()
	if !over {
		x.str.stop(h3frame.RequestCancelled)
	}
	if !sent {
		x.str.reset(h3frame.RequestCancelled)
	}
	bufpool.Put(x.out)
	x.out = nil
	x.k.leave(x)
}

// Cancel implements carrier.ClientStream.
func (x *clientExchange) Cancel(err error) {
	x.mu.Lock()
	gone := x.users == 0
	x.mu.Unlock()
	if !gone {
		x.abort(h3frame.RequestCancelled, err)
	}
}

// Unanswered implements carrier.ClientStream.
func (x *clientExchange) Unanswered(err error) bool {
	_, broken := errors.AsType[*h3frame.Error](err) // it may belong to the response before
	return (broken || errors.Is(err, io.ErrUnexpectedEOF)) && x.k.unanswered(x)
}
