package http3

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/internal/h3frame"
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
	x.endProceed()
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
	x.mu.Lock()
	why := x.why
	x.mu.Unlock()
	if why != nil {
		return why
	}
	code, reset := resetBy(err)
	switch {
	case reset && code == h3frame.RequestRejected:
		return &unprocessedError{&StreamError{Code: uint64(code), ByServer: true}}
	case reset:
		return &StreamError{Code: uint64(code), ByServer: true}
	}
	return x.k.noteEnd(err)
}

// finish is called when nothing more is read: err is io.EOF, or why. Only the first call counts.
func (x *clientExchange) finish(err error) {
	x.mu.Lock()
	if x.left {
		x.mu.Unlock()
		return
	}
	x.left = true
	x.over = err == io.EOF
	if x.headerTimer != nil {
		x.headerTimer.Stop()
	}
	x.endProceed()
	x.mu.Unlock()
	if err == io.EOF {
		x.k.earn(earnMessage, 0)
	} else {
		x.str.stop(h3frame.RequestCancelled)
	}
	if x.up != nil {
		x.up.responseOver()
	}
	x.unwatch()
	x.leave()
}

// leave is called by each goroutine that is done with the stream.
func (x *clientExchange) leave() {
	x.mu.Lock()
	x.users--
	last, sent := x.users == 0, x.sent
	x.mu.Unlock()
	if !last {
		return
	}
	if !sent {
		x.str.reset(h3frame.RequestCancelled)
	}
	x.k.leave(x)
}

// again returns whether, and why, a request that has failed with err may be sent again.
func (x *clientExchange) again(err error) retry {
	if isUnprocessed(err) {
		return refused
	}
	if !x.reused || !x.c.replayable || !x.k.unanswered(x) {
		return never
	}
	_, broken := errors.AsType[*h3frame.Error](err) // it may belong to the response before
	if broken || errors.Is(err, io.ErrUnexpectedEOF) {
		return stale
	}
	return never
}
