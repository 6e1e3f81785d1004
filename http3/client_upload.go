package http3

import (
	"errors"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// clientUpload sends a request's body on a goroutine of its own, because the server may answer before all of it has been sent. It closes
// the body, unless it has not begun to read it and the body is wanted for another attempt.
type clientUpload struct {
	x    *clientExchange
	body io.ReadCloser
	done chan struct{} // closed when the body is not used any more

	mu      sync.Mutex
	began   bool // the body was read
	stopped bool // nothing more is read
	kept    bool // the body is not closed
	closed  bool
}

var (
	// errUploadStopped is the result of sending when the response has made the rest of the body useless.
	errUploadStopped = errors.New("http3: the rest of the request's body is not sent")
	// errBodyTooLong is found in the error of a request whose body is longer than its ContentLength.
	errBodyTooLong = errors.New("request body larger than its length")
)

// brokenBody marks an error of the request's body, as opposed to one of the connection.
type brokenBody struct{ error }

// Unwrap returns the error of the body.
func (b *brokenBody) Unwrap() error { return b.error }

// uploadPiece is how much of a body is read at once, and frameRoom the room for the header of its frame.
const (
	uploadPiece = 32 << 10
	frameRoom   = 8
)

// run sends the body and the trailer section.
func (u *clientUpload) run() {
	x := u.x
	err := errUploadStopped
	if u.awaitContinue() {
		err = u.copy()
	}
	u.end()
	if broken, ok := errors.AsType[*brokenBody](err); ok {
		x.abort(h3frame.RequestCancelled, broken.error)
	} else if err != nil {
		x.boundHead() // nothing more is sent
	}
	close(u.done)
	x.c.traceSent(err)
	x.leave()
}

// awaitContinue waits for 100 Continue, if the request asks for it, and reports whether the body is to be sent: not after a final head
// without 100 Continue.
func (u *clientUpload) awaitContinue() bool {
	x := u.x
	if d := x.c.expect; d > 0 {
		x.c.traceExpects()
		x.mu.Lock()
		proceed := x.proceed
		x.mu.Unlock()
		if proceed != nil {
			_ = pause(x.c.ctx, d, proceed)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why == nil && (x.c.expect == 0 || x.bodyWanted || !x.final)
}

// begin reports whether the next piece of the body is to be read.
func (u *clientUpload) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.began = u.began || !u.stopped
	return !u.stopped
}

// copy sends the body and the trailer section.
func (u *clientUpload) copy() error {
	size := int64(uploadPiece)
	if n := u.x.c.length; n > 0 {
		size = min(size, n)
	}
	buf := make([]byte, frameRoom+size)
	for left := u.x.c.length; ; {
		n, err := u.read(buf[frameRoom:], &left)
		if err != nil && err != io.EOF {
			return err
		}
		end := err == io.EOF
		if end {
			u.end() // before the server can have received all of the body and answer
		}
		if err := u.send(buf, n); err != nil {
			return err
		}
		if end {
			return u.finish()
		}
	}
}

// send sends the n bytes of buf behind frameRoom in a DATA frame.
func (u *clientUpload) send(buf []byte, n int) error {
	if n == 0 {
		return nil
	}
	var scratch [frameRoom]byte
	head := h3frame.AppendHeader(scratch[:0], h3frame.Data, uint64(n))
	at := frameRoom - len(head)
	copy(buf[at:], head)
	return u.x.write(buf[at : frameRoom+n])
}

// finish sends the trailer section, whose values have been set while the body was read, and ends the request.
func (u *clientUpload) finish() error {
	section, size, err := u.x.c.trailerSection()
	if err == nil {
		err = u.x.k.checkSize("trailer fields", size)
	}
	if err != nil {
		return &brokenBody{err}
	}
	if len(section) > 0 {
		if err := u.x.write(section); err != nil {
			return err
		}
	}
	u.x.endSending()
	return nil
}
