package http3

import (
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// read reads a piece of the body. It returns io.EOF at the end, perhaps with the last piece, and a brokenBody if the body fails or does
// not have its declared length.
func (u *clientUpload) read(buf []byte, left *int64) (int, error) {
	if !u.begin() {
		return 0, errUploadStopped
	}
	n, err := u.body.Read(buf)
	switch {
	case !u.begin():
		return 0, errUploadStopped
	case err != nil && err != io.EOF:
		return 0, &brokenBody{err}
	case *left < 0:
		return n, err
	}
	if *left -= int64(n); *left < 0 {
		return 0, u.wrongLength(u.x.c.length-*left, errBodyTooLong)
	}
	if err == io.EOF && *left > 0 {
		return 0, u.wrongLength(u.x.c.length-*left, io.ErrUnexpectedEOF)
	}
	if *left == 0 && err == nil {
		err = u.checkEnd()
	}
	return n, err
}

// wrongLength returns the error of a body that does not have its declared length, in the words of net/http. got is how many bytes were
// read.
func (u *clientUpload) wrongLength(got int64, err error) error {
	return &brokenBody{fmt.Errorf("http: ContentLength=%d with Body length %d: %w", u.x.c.length, got, err)}
}

// checkEnd returns io.EOF if the body has ended, and errBodyTooLong if it goes on.
func (u *clientUpload) checkEnd() error {
	var one [1]byte
	for range 100 {
		n, err := u.body.Read(one[:])
		switch {
		case n > 0:
			return u.wrongLength(u.x.c.length+int64(n), errBodyTooLong)
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return &brokenBody{err}
		}
	}
	return &brokenBody{io.ErrNoProgress}
}

// end closes the body, unless it is kept. It may be called more than once.
func (u *clientUpload) end() {
	u.mu.Lock()
	closes := !u.kept && !u.closed
	u.stopped, u.closed = true, u.closed || closes
	u.mu.Unlock()
	if closes {
		u.body.Close()
	}
}

// stop ends sending. It closes the body, which makes a pending Read of it return. If the body was not read and is to be kept, stop
// leaves it open, and returns true.
func (u *clientUpload) stop(keep bool) (kept bool) {
	u.mu.Lock()
	u.stopped = true
	u.kept = u.kept || keep && !u.began && !u.closed
	kept = u.kept
	u.mu.Unlock()
	x := u.x
	x.mu.Lock()
	x.endProceed()
	x.mu.Unlock()
	if !kept {
		go u.end()
	}
	return kept
}

// giveBack closes the body if it was kept: there is no other attempt.
func (u *clientUpload) giveBack() {
	u.mu.Lock()
	kept := u.kept
	u.kept = false
	u.mu.Unlock()
	if kept {
		u.end()
	}
}

// await waits until the body is not used any more, but no longer than limit: a Read of the body may not return.
func (u *clientUpload) await(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-u.done:
	case <-timer.C:
	}
}

const (
	// maxAwaitStopped is how long RoundTrip waits, when it fails, until the body is not used any more.
	maxAwaitStopped = time.Second
	// maxSendAfterResponse is how long a request may go on being sent after its response has ended.
	maxSendAfterResponse = 50 * time.Millisecond
)

// responseOver is called when nothing more of the response is read. It lets sending go on for a while.
func (u *clientUpload) responseOver() {
	select {
	case <-u.done:
	default:
		time.AfterFunc(maxSendAfterResponse, func() {
			select {
			case <-u.done:
			default:
				u.stop(false)
				u.x.str.reset(h3frame.RequestCancelled)
			}
		})
	}
}
