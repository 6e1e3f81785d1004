package websocket

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
)

// leaveMessageLocked discards the rest of a message that its reader has not read to the end.
func (r *receiver) leaveMessageLocked() error {
	if r.message == nil {
		return nil
	}
	return r.discardLocked()
}

// discardLocked discards the rest of the current reader's message.
func (r *receiver) discardLocked() error {
	if r.in.Gathered() != nil && r.in.PassGathered() {
		r.message.err, r.message = errPartOver, nil
		return nil
	}
	r.message.err = errPartOver
	scratch := bufpool.Get(4 << 10)
	defer bufpool.Put(scratch)
	for r.message != nil {
		_, ended, err := r.partLocked(scratch)
		if err != nil {
			return err
		}
		if ended {
			r.message = nil
		}
	}
	return nil
}

// partLocked reads payload of the current message into dst; ended reports whether it was the last. With an empty dst it
// returns as soon as a message has begun.
func (r *receiver) partLocked(dst []byte) (n int, ended bool, err error) {
	for !r.out.finished.Load() {
		e, p, taken, err := r.in.TakePart(r.pull.Unread(), dst)
		r.pull.Take(taken)
		if err == nil && e == wsmessage.Nothing {
			if len(dst) == 0 && r.in.Begun() {
				return 0, false, nil
			}
			e, p, err = r.receivePartLocked(dst)
		}
		switch {
		case err != nil:
			return 0, false, r.readFailedLocked(frameError(err))
		case e == wsmessage.LastPart:
			r.batchLocked(r.pull.Unread())
			return len(p), true, nil
		case e == wsmessage.Part:
			return len(p), false, nil
		case e != wsmessage.Nothing:
			r.batchLocked(r.pull.Unread())
			err = r.out.answer(e, p)
			r.in.Release()
			if err != nil {
				return 0, false, r.hangUpLocked(err)
			}
		}
	}
	return 0, false, r.readError(r.out.overErr())
}

// receivePartLocked waits for more bytes. Payload of a large frame is received into dst directly.
func (r *receiver) receivePartLocked(dst []byte) (wsmessage.Event, []byte, error) {
	if len(dst) < wsmessage.DirectMin || !r.in.ReadsDirectly() || len(r.pull.Unread()) > 0 {
		return r.receiveLocked()
	}
	r.endBatchLocked()
	n, err := r.pull.Read(dst[:min(int64(len(dst)), r.in.Left())])
	if n == 0 {
		return wsmessage.Nothing, nil, err
	}
	r.heartbeat.heard(r.out.link)
	e, err := r.in.ReceivePart(dst[:n])
	return e, dst[:n], err
}
