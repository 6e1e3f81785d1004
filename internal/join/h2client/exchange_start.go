package h2client

import (
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Start begins a request with a head, which is encoded with the connection's lock held. sends means that a second
// goroutine will send a body and then call Leave. If the server takes no more requests at once, Start waits until it does
// or until done is closed, when it returns false and no error; without wait it fails with ErrFull instead. After an error
// for which Unprocessed is true the caller may use another connection.
func (c *Conn) Start(x *Exchange, head carrier.Section, sends, wait bool, done <-chan struct{}) (begun bool, err error) {
	c.Lock()
	if !c.hasRoomLocked() && !c.closed.Load() {
		if !wait {
			c.Unlock()
			return false, ErrFull
		}
		if !c.awaitRoomLocked(done) && !c.closed.Load() {
			c.Unlock()
			return false, nil
		}
	}
	if c.closed.Load() || c.EndedLocked() || c.ErrLocked() != nil {
		c.retireLocked()
		c.Unlock()
		return false, http2.ErrGoingAway
	}
	w, err := c.WireLocked().Open(nil)
	if err != nil {
		c.Unlock()
		return false, err
	}
	x.beginLocked(c, w, sends)
	if err := x.sendHeadLocked(head, !sends); err != nil {
		x.withdrawLocked()
		return false, err
	}
	last := w.ID() == lastStream
	c.Unlock()
	c.requestDraw()
	if last {
		c.Close()
	}
	return true, nil
}

// lastStream is the highest stream identifier. A client that has used it needs another connection (RFC 9113 §5.1.1).
const lastStream = 1<<31 - 1

// beginLocked initializes x as the owner's end of w.
func (x *Exchange) beginLocked(c *Conn, w *http2.Stream, sends bool) {
	x.conn, x.Owner = c, x
	c.BeginLocked(&x.Stream, w)
	x.Status, x.Length, x.final, x.bodyWanted, x.users, x.headsAtStart = 0, -1, false, false, 1, c.headsReceived
	x.Fields, x.Trailer, x.interim = x.Fields[:0], x.Trailer[:0], nil
	if sends {
		x.users = 2
	}
}

// sendHeadLocked appends the request's head; end means that there is no body.
func (x *Exchange) sendHeadLocked(head carrier.Section, end bool) error {
	c := x.conn
	wire, out, _ := x.OutLocked() // cannot fail: the stream has just been opened
	out, err := wire.CheckHeaders(head.AppendTo(wire, wire.BeginHeaders(out, x.WireLocked())))
	c.callerDraws = true
	if err != nil {
		x.SetOutLocked(out, false)
		c.callerDraws = false
		return err
	}
	x.SetOutLocked(wire.EndHeaders(out, end), end)
	c.callerDraws = false
	c.idleStart = 0
	c.NoteStreamsLocked()
	return nil
}

// withdrawLocked undoes beginLocked, and releases the lock: nothing was sent.
func (x *Exchange) withdrawLocked() {
	c := x.conn
	c.callerDraws = true
	free := x.EndLocked()
	c.callerDraws = false
	x.conn = nil
	c.reused.Store(true) // it was opened for this request and is free for others now
	c.noteIdleLocked()
	c.admitLocked()
	c.Unlock()
	c.requestDraw()
	if free {
		c.Link().EndWork()
	}
}
