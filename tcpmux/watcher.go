package tcpmux

import "github.com/shockwave-go/shockwave/internal/muxsession"

// watcher receives the events of the session's core. Its methods are called with the session's lock held.
type watcher struct{ *Session }

func (s *Session) watcher() muxsession.Watcher { return watcher{s} }

// Announced implements muxsession.Watcher. A channel that is over still counts until it is accepted: otherwise a peer could
// fill the memory with channels that it opens and ends.
func (w watcher) Announced(_ string, meta []byte) *muxsession.Channel {
	if len(w.pending)-w.stalePending >= w.cfg.MaxChannels {
		return nil
	}
	c := &Channel{s: w.Session, unaccepted: true}
	if meta != nil {
		c.meta = append([]byte{}, meta...)
	}
	c.core.Owner = c
	c.core.SetClass(Normal.class())
	w.pending = append(w.pending, c)
	w.wakeOne(&w.accepters)
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
	x.next, w.toWake = w.toWake, &x.waiter
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
	if c.unaccepted && k.WasReset() != nil {
		c.unaccepted = false
		w.stalePending++
		w.compactPending()
		return true
	}
	return c.closed
}

// compactPending removes stale channels from pending when there are many.
func (s *Session) compactPending() {
	if s.stalePending < max(32, len(s.pending)/2) {
		return
	}
	left := s.pending[:0]
	for _, c := range s.pending {
		if c.unaccepted {
			left = append(left, c)
		}
	}
	clear(s.pending[len(left):])
	s.pending, s.stalePending = left, 0
}
