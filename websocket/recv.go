package websocket

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
)

// readLocked returns the next message, which is valid until in.Release or the next read. It is in dst if it came in one
// frame and fits.
func (r *receiver) readLocked(dst []byte) ([]byte, error) {
	if r.isServed() {
		return nil, errCallbacks
	}
	if err := r.leaveMessageLocked(); err != nil {
		return nil, err
	}
	if err := r.readExpiredLocked(); err != nil {
		return nil, err
	}
	if r.in.Kept() {
		return r.in.TakeKept(), nil
	}
	for !r.out.finished.Load() {
		b, err := r.arrivedLocked()
		var e wsmessage.Event
		var p []byte
		if err == nil {
			e, p, err = r.takeLocked(b, dst)
		}
		if e == wsmessage.Nothing && err == nil {
			e, p, err = r.receiveLocked()
		}
		switch {
		case err != nil:
			return nil, r.readFailedLocked(err)
		case e == wsmessage.Message:
			return p, nil
		case e != wsmessage.Nothing:
			err = r.out.answer(e, p)
			r.in.Release()
			if err != nil {
				return nil, r.readFailedLocked(err)
			}
		}
	}
	return nil, r.readError(r.out.overErr())
}

// readCopy reads a message into a slice returned by space.
func (r *receiver) readCopy(space func(n int) []byte) (t MessageType, p []byte, err error) {
	r.mu.Lock()
	defer r.unlock()
	return r.readCopyLocked(space)
}

// readCopyLocked reads a message into a slice returned by space.
func (r *receiver) readCopyLocked(space func(n int) []byte) (t MessageType, p []byte, err error) {
	view, err := r.readLocked(nil)
	if err != nil {
		return 0, nil, err
	}
	p = space(len(view))
	copy(p, view)
	t = r.in.messageType()
	r.in.Release()
	return t, p, nil
}

// deliverLocked puts view, the message just read, into buf. If it does not fit, it is kept for the next read.
func (r *receiver) deliverLocked(buf, view []byte) (t MessageType, n int, err error) {
	t, n = r.in.messageType(), len(view)
	if n > len(buf) {
		r.in.Keep(view)
		err = io.ErrShortBuffer
	} else if n > 0 && &view[0] != &buf[0] {
		copy(buf, view)
	}
	r.in.Release() // unless it is kept
	return t, n, err
}

// arrivedLocked returns the bytes that have arrived, and waits for some if there can be no event without.
func (r *receiver) arrivedLocked() ([]byte, error) {
	b := r.pull.Unread()
	if len(b) == 0 && !r.in.InFrame() { // a compressed frame may be without payload
		return r.fillLocked()
	}
	return b, nil
}

// takeLocked takes the next event from b, the bytes that have arrived.
func (r *receiver) takeLocked(b, dst []byte) (wsmessage.Event, []byte, error) {
	e, p, n, err := r.in.next(b, dst, r.out.compress)
	r.pull.Take(n)
	if e != wsmessage.Nothing && err == nil && (n < len(b) || r.held) {
		r.batchLocked(b[n:])
	}
	return e, p, err
}

// batchLocked starts to hold output back if rest, the bytes that arrived behind the frame just taken, has another whole
// frame, and ends that otherwise. So the answers to all frames that arrived together leave in one write. If the next read
// does not come soon, the engine sends what is held back within 5 ms.
func (r *receiver) batchLocked(rest []byte) {
	if more := wsmessage.FrameFollows(rest); more && !r.held {
		r.held = true
		r.out.link.Hold()
	} else if !more {
		r.endBatchLocked()
	}
}

// endBatchLocked releases output that was held back. It is called before every wait for more bytes.
func (r *receiver) endBatchLocked() {
	if r.held {
		r.held = false
		r.out.link.Release()
	}
}

// fillLocked waits for more bytes and returns the bytes that have not been taken.
func (r *receiver) fillLocked() ([]byte, error) {
	r.endBatchLocked()
	b, err := r.pull.Fill()
	if err == nil {
		r.heartbeat.heard(r.out.link)
	}
	return b, err
}

// receiveLocked waits for more bytes. Payload of a large frame is received to its place in the message.
func (r *receiver) receiveLocked() (e wsmessage.Event, p []byte, err error) {
	if !r.in.ReadsDirectly() || r.message != nil || len(r.pull.Unread()) > 0 {
		_, err = r.fillLocked()
		return wsmessage.Nothing, nil, err
	}
	r.endBatchLocked()
	space := r.in.ReceiveSpace()
	n, err := r.pull.Read(space)
	if n == 0 {
		return wsmessage.Nothing, nil, err
	}
	r.heartbeat.heard(r.out.link)
	p, done, err := r.in.Received(space, n)
	if !done || err != nil {
		return wsmessage.Nothing, nil, frameError(err)
	}
	if r.in.Compressed() {
		p, err = r.in.content(p, r.out.compress)
	}
	return wsmessage.Message, p, err
}
