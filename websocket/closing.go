package websocket

import (
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// close begins the closing handshake: it sends frame, a close frame in a buffer from the pool that it takes over, and the
// peer has CloseTimeout to answer. how is closedBoth or closedWrite.
func (r *receiver) close(frame []byte, how int32) error {
	if !r.out.startClosing(how) {
		bufpool.Put(frame)
		return ErrClosed
	}
	r.expireLater()
	return r.out.postCloseLast(frame)
}

// goAway sends a close frame because the group shuts down, and makes sure that the peer's answer is read.
func (r *receiver) goAway() {
	if !r.out.announced.Load() {
		return
	}
	if frame, err := r.out.closeFrame(CloseGoingAway, ""); err == nil {
		r.out.postCloseLast(frame)
	}
	if !r.isServed() {
		go r.readToTheEnd()
	}
}

// readToTheEnd reads until the connection is over, and drops all messages. If the engine reads, it does nothing.
func (r *receiver) readToTheEnd() {
	if r.isServed() {
		return
	}
	r.mu.Lock()
	defer r.unlock()
	for !r.out.finished.Load() {
		r.out.link.SetReadDeadline(time.Time{})
		r.readLocked(nil)
		r.in.Release()
	}
}

// expireLater starts the timer that ends the connection after CloseTimeout.
func (r *receiver) expireLater() {
	if d := r.out.cfg.closeTimeout; d > 0 {
		r.out.after(d, r.expire)
	}
}

// expire ends a connection whose peer did not take everything or did not answer the close frame within CloseTimeout. It
// drops the messages in line and tries to send the close frame.
func (r *receiver) expire() {
	r.out.expired.Store(true)
	if r.out.giveUpLine() {
		r.out.fail(os.ErrDeadlineExceeded)
	}
	r.out.link.Quit()
	r.cut()
}

// cutNow ends the connection without a close frame, after as much of the output as takes no waiting.
func (r *receiver) cutNow() error {
	if r.out.over.Load() {
		r.cut()
		return ErrClosed
	}
	r.out.fail(ErrClosed)
	if r.out.flushLine() {
		r.out.link.Quit()
	} else {
		r.out.link.Abort()
	}
	r.cut()
	return nil
}

// isRead reports whether a goroutine of the user waits for input from the peer.
func (r *receiver) isRead() bool {
	if r.mu.TryLock() {
		r.unlock()
		return false
	}
	return true
}
