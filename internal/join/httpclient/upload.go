package httpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// upload sends a request's body on a goroutine of its own, because the server may respond before all of it has been sent.
// It is the sending goroutine of the exchange.
type upload struct {
	ex     exchange
	call   *Call
	body   io.ReadCloser
	expect time.Duration
	turn   turn
	closed atomic.Bool   // body is closed or about to be
	once   sync.Once     // guards the Close of body
	done   chan struct{} // closed when sending is over, before the exchange is left

	mu    sync.Mutex
	began bool // body may have been read
	kept  bool // body is neither read nor closed: it is for another attempt
}

func newUpload(k *Call, ex exchange) *upload {
	return &upload{ex: ex, call: k, body: k.body(), expect: k.Expect, turn: ex.turn(), done: make(chan struct{})}
}

// newRestUpload returns an upload of the rest of a body that is in memory. It does not refer to k, which may be used for
// another request before the rest has been sent.
func newRestUpload(k *Call, ex exchange, rest []byte) *upload {
	own := &Call{Bytes: rest, Length: int64(len(rest))}
	if k.Timeouts != nil {
		t := *k.Timeouts
		own.Timeouts = &t
	}
	return newUpload(own, ex)
}

var (
	// errStopped is the result of sending when the response has made the rest of the body useless.
	errStopped = errors.New("http: the rest of the request's body is not sent")
	// ErrTooLong is returned when a request's body is longer than its length says.
	ErrTooLong = errors.New("http: request body larger than its length")
)

// brokenBody marks an error of the request's body, as opposed to one of the connection.
type brokenBody struct{ error }

// Unwrap returns the error of the body.
func (b *brokenBody) Unwrap() error { return b.error }

// uploadPiece is how much of a body is read at once.
const uploadPiece = 16 << 10

func (u *upload) run(ctx context.Context) {
	k, ex := u.call, u.ex
	err := errStopped
	if u.awaitContinue(ctx) {
		err = u.copy()
	}
	u.close()
	var broken *brokenBody
	switch {
	case errors.As(err, &broken):
		ex.cancel(u.turn, broken.error)
	case err != errStopped && k.Timeouts != nil && k.Timeouts.Head > 0: // a server may take no more and still respond
		ex.boundHead(k.Timeouts.Head)
	}
	close(u.done)
	if k.Trace != nil && k.Trace.Sent != nil {
		k.Trace.Sent(err) // after it k may be used for another request
	}
	ex.leave()
}

// awaitContinue waits for 100 Continue, if the request asks for it, and reports whether the body is to be sent.
func (u *upload) awaitContinue(ctx context.Context) bool {
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
	if !u.begin() {
		return errStopped
	}
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
			u.close() // before the server can have received all of the body and respond
		}
		if n > 0 || end && last {
			if err := u.ex.send(buf[:n], end && last); err != nil {
				return err
			}
		}
		if end {
			return u.sendTrailer()
		}
	}
}

// read reads a piece of the body. It returns io.EOF at the end, perhaps with the last piece, and a brokenBody if the body
// fails or does not have its declared length.
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
		return 0, u.wrongLength(u.call.Length-*left, ErrTooLong)
	}
	if err == io.EOF && *left > 0 {
		return 0, u.wrongLength(u.call.Length-*left, io.ErrUnexpectedEOF)
	}
	if *left == 0 && err == nil {
		err = u.checkEnd()
	}
	return n, err
}

// wrongLength returns the error of a body that does not have its declared length, in the words of net/http. got is how
// many bytes were read.
func (u *upload) wrongLength(got int64, err error) error {
	return &brokenBody{fmt.Errorf("http: ContentLength=%d with Body length %d: %w", u.call.Length, got, err)}
}

// checkEnd returns io.EOF if the body has ended, and ErrTooLong if it goes on.
func (u *upload) checkEnd() error {
	var one [1]byte
	for range 100 {
		n, err := u.body.Read(one[:])
		switch {
		case n > 0:
			return u.wrongLength(u.call.Length+int64(n), ErrTooLong)
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return &brokenBody{err}
		}
	}
	return &brokenBody{io.ErrNoProgress}
}

// sendTrailer sends the trailer section. Its values have been set while the body was read.
func (u *upload) sendTrailer() error {
	if u.call.Trailer == nil {
		return nil
	}
	h, err := u.call.Trailer()
	if err != nil {
		return &brokenBody{err}
	}
	return u.ex.sendTrailer(h)
}

// begin reports whether the body is to be read.
func (u *upload) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.began = u.began || !u.kept
	return u.began
}

// keep reports whether the body has not been read. Then it stays as it is, for another attempt.
func (u *upload) keep() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.kept = u.kept || !u.began && !u.closed.Load()
	return u.kept
}

// close closes the body once, unless it is kept. It returns when the body has been closed.
func (u *upload) close() {
	u.mu.Lock()
	kept := u.kept
	if !kept {
		u.closed.Store(true)
	}
	u.mu.Unlock()
	if !kept {
		u.once.Do(func() { u.body.Close() })
	}
}

// stop ends sending. It closes the body, which makes a pending Read of it return.
func (u *upload) stop() {
	select {
	case <-u.done:
		return
	default:
	}
	u.ex.stopSending(u.turn, errStopped)
	if !u.closed.Load() {
		go u.close()
	}
}

// stopAndWait calls stop and waits until the body is not used any more, so that the caller of Do may use it again. It does
// not wait for long, since a Read of the body may not return.
func (u *upload) stopAndWait(ctx context.Context) {
	u.stop()
	limit := maxAwaitStopped
	if ctx.Err() != nil {
		limit = maxSendAfterResponse
	}
	u.await(limit)
}

// maxAwaitStopped is how long the user of a body waits until an upload that was stopped does not use it any more.
const maxAwaitStopped = time.Second

// await waits until sending is over, but no longer than limit.
func (u *upload) await(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-u.done:
	case <-timer.C:
	}
}

// maxSendAfterResponse is how long a request may go on being sent after its response has ended. Then sending is stopped,
// and the connection is lost.
const maxSendAfterResponse = 50 * time.Millisecond

// responseOver is called by the goroutine that reads when it leaves the exchange. It lets sending go on for a while.
func (u *upload) responseOver() {
	select {
	case <-u.done:
	default:
		time.AfterFunc(maxSendAfterResponse, u.stop)
	}
}
