package httpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// upload sends a request's body, on a goroutine of its own: the server may answer before all of it has been sent. It is
// one of the exchange's two users.
type upload struct {
	ex     exchange
	call   *Call
	body   io.ReadCloser
	expect time.Duration
	t      turn
	closed atomic.Bool   // body is closed, or being closed
	once   sync.Once     // closes body
	done   chan struct{} // closed when nothing more is sent, before the exchange is left
}

func newUpload(k *Call, ex exchange) *upload {
	return &upload{ex: ex, call: k, body: k.body(), expect: k.Expect, t: ex.turn(), done: make(chan struct{})}
}

var (
	// errStopped is what sending says when the response makes it pointless.
	errStopped = errors.New("http: the rest of the request's body is not sent")
	// ErrTooLong says that a request's body goes on beyond its length.
	ErrTooLong = errors.New("http: request body larger than its length")
)

// brokenBody says that it is the request's body that failed, and not the connection.
type brokenBody struct{ error }

// Unwrap returns what the body said.
func (b *brokenBody) Unwrap() error { return b.error }

// uploadPiece is how much is read of a body at once.
const uploadPiece = 16 << 10

func (u *upload) run(ctx context.Context) {
	k, ex := u.call, u.ex
	err := errStopped
	if u.wanted(ctx) {
		err = u.copy()
	}
	u.close()
	var broken *brokenBody
	switch {
	case errors.As(err, &broken):
		ex.cancel(u.t, broken.error)
	case err == nil && k.Timeouts != nil && k.Timeouts.Head > 0:
		ex.expire(k.Timeouts.Head)
	}
	close(u.done)
	if k.Trace != nil && k.Trace.Sent != nil {
		k.Trace.Sent(err) // behind which k may be used for another request
	}
	ex.leave()
}

// wanted waits until the body is to be sent, if it has to, and reports whether it is.
func (u *upload) wanted(ctx context.Context) bool {
	if u.expect == 0 {
		return true
	}
	if t := u.call.Trace; t != nil && t.Expects != nil {
		t.Expects()
	}
	return u.ex.proceed(u.expect, ctx.Done())
}

// copy sends the body and the trailer section.
func (u *upload) copy() error {
	k := u.call
	size := int64(uploadPiece)
	if k.Length > 0 {
		size = min(size, k.Length)
	}
	buf := bufpool.Get(int(size))
	defer bufpool.Put(buf)
	last := k.Trailer == nil
	for left := k.Length; ; {
		n, err := u.read(buf, &left)
		end := err == io.EOF
		if err != nil && !end {
			return err
		}
		if end {
			u.close() // before the server can have all of it, and answer
		}
		if n > 0 || end && last {
			if err := u.ex.send(buf[:n], end && last); err != nil {
				return err
			}
		}
		if end {
			return u.trail()
		}
	}
}

// read reads a piece. It fails with io.EOF, perhaps with the last piece, at the end, and with a brokenBody if the body is
// not as long as it was said to be.
func (u *upload) read(buf []byte, left *int64) (int, error) {
	n, err := u.body.Read(buf)
	switch {
	case u.closed.Load():
		return 0, errStopped
	case err != nil && err != io.EOF:
		return 0, &brokenBody{err}
	case *left < 0:
		return n, err
	}
	if *left -= int64(n); *left < 0 {
		return 0, &brokenBody{ErrTooLong}
	}
	if err == io.EOF && *left > 0 {
		length := u.call.Length
		return 0, &brokenBody{fmt.Errorf("http: ContentLength=%d with Body length %d: %w", length, length-*left, io.ErrUnexpectedEOF)}
	}
	if *left == 0 && err == nil {
		err = u.wantEnd()
	}
	return n, err
}

// wantEnd returns io.EOF unless the body goes on beyond its length.
func (u *upload) wantEnd() error {
	var one [1]byte
	for range 100 {
		n, err := u.body.Read(one[:])
		switch {
		case n > 0:
			return &brokenBody{ErrTooLong}
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return &brokenBody{err}
		}
	}
	return &brokenBody{io.ErrNoProgress}
}

// trail sends the trailers, whose values the body's reader has set by now.
func (u *upload) trail() error {
	if u.call.Trailer == nil {
		return nil
	}
	h, err := u.call.Trailer()
	if err != nil {
		return &brokenBody{err}
	}
	return u.ex.sendTrailer(h)
}

// close closes the body, once. It returns when the body has been closed.
func (u *upload) close() {
	u.closed.Store(true)
	u.once.Do(func() { u.body.Close() })
}

// stop has sending end, if it has not: a Read of the body that waits is woken by its being closed.
func (u *upload) stop() {
	select {
	case <-u.done:
		return
	default:
	}
	u.ex.hush(u.t, errStopped)
	if !u.closed.Swap(true) {
		go u.close()
	}
}

// settle is stop that returns when the body is not used any more: who gave it may do with it what they like. What does not
// return is not waited for for long.
func (u *upload) settle(ctx context.Context) {
	u.stop()
	patience := time.Second
	if ctx.Err() != nil {
		patience = lastPart
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-u.done:
	case <-late.C:
	}
}

// lastPart is how long the end of a request is waited for after the end of its response, before the connection is given up.
const lastPart = 50 * time.Millisecond

// responseOver is called when nobody waits for the response any more, by a user of the exchange.
func (u *upload) responseOver() {
	select {
	case <-u.done:
	default:
		time.AfterFunc(lastPart, u.stop)
	}
}
