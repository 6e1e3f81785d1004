package tcpmux

import "github.com/shockwave-go/shockwave/internal/wire/muxsession"

// watcher receives the events of the session's core. Its methods are called with the session's lock held.
type watcher struct{ *Session }

func (s *Session) watcher() muxsession.Watcher { return watcher{s} }

// Exact implements muxsession.Watcher.
func (w watcher) Exact() int64 {
	if w.conn != nil {
		return w.conn.nc.ExactMoment()
	}
	return 1 // there is no connection, and no clock
}

// Announced implements muxsession.Watcher. A channel that is over still counts until it is accepted: otherwise a peer could
// fill the memory with channels that it opens and ends.
func (w watcher) Announced(_ string, meta []byte) *muxsession.Channel {
	if w.arrivals.waiting() >= w.cfg.MaxChannels {
		return nil
	}
	c := &Channel{s: w.Session, unaccepted: true}
	if meta != nil {
		c.meta = append([]byte{}, meta...)
	}
	c.core.Owner = c
	c.core.SetClass(PriorityNormal.class())
	a := w.accepting.ensure()
	a.pending = append(a.pending, c)
	w.wakeOne(&a.accepters)
	return &c.core
}

// Readable implements muxsession.Watcher.
func (w watcher) Readable(k *muxsession.Channel) {
	c := k.Owner.(*Channel)
	if k.Over() || k.Ended() {
		w.wakeAll(&c.readers)
		return
	}
	w.wakeOne(&c.readers)
}

// Sent implements muxsession.Watcher.
func (w watcher) Sent(p *muxsession.Send) {
	x := p.Owner.(*pendingSend)
	w.add(&x.waiter)
}

// Acked implements muxsession.Watcher.
func (w watcher) Acked(k *muxsession.Channel) {
	w.wakeAll(&k.Owner.(*Channel).ackWaiters)
}

// Over implements muxsession.Watcher. A channel that was reset before it was accepted is not returned by Accept.
func (w watcher) Over(k *muxsession.Channel) (drop bool) {
	c := k.Owner.(*Channel)
	if c.done != nil {
		close(c.done)
	}
	c.ended = true
	if c.onDone != nil {
		go c.onDone()
	}
	if k.WasReset() != nil && w.arrivals.claim(c) {
		return true
	}
	return c.closed
}
