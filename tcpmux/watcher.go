package tcpmux

import "github.com/shockwave-go/shockwave/internal/muxsession"

// watcher is a session as its core sees it: with the lock held.
type watcher struct{ *Session }

func (s *Session) watcher() muxsession.Watcher { return watcher{s} }

// Announced implements muxsession.Watcher.
func (w watcher) Announced(_ string, meta []byte) *muxsession.Channel {
	c := &Channel{s: w.Session, waits: true}
	if meta != nil {
		c.meta = append([]byte{}, meta...)
	}
	c.core.Owner = c
	c.core.SetClass(Normal.class())
	w.pending = append(w.pending, c)
	w.tell(&w.accepted)
	return &c.core
}

// Readable implements muxsession.Watcher.
func (w watcher) Readable(k *muxsession.Channel) {
	c := k.Owner.(*Channel)
	if k.Over() || k.Ended() {
		w.tellAll(&c.readers)
		return
	}
	w.tell(&c.readers)
}

// Sent implements muxsession.Watcher.
func (w watcher) Sent(p *muxsession.Send) {
	x := p.Owner.(*sending)
	x.next, w.told = w.told, &x.waiter
}

// Acked implements muxsession.Watcher.
func (w watcher) Acked(k *muxsession.Channel) {
	w.tellAll(&k.Owner.(*Channel).flushers)
}

// Over implements muxsession.Watcher. A channel that nobody has accepted is not announced any more when it was reset.
func (w watcher) Over(k *muxsession.Channel) (drop bool) {
	c := k.Owner.(*Channel)
	if c.over != nil {
		close(c.over)
	}
	c.ended = true
	if c.left != nil {
		go c.left()
	}
	if c.waits && k.WasReset() != nil {
		c.waits = false
		w.forgotten++
		w.thinPending()
		return true
	}
	return c.closed
}

// thinPending takes out of the channels that wait for Accept those that do no more, when they are many.
func (s *Session) thinPending() {
	if s.forgotten < max(32, len(s.pending)/2) {
		return
	}
	left := s.pending[:0]
	for _, c := range s.pending {
		if c.waits {
			left = append(left, c)
		}
	}
	clear(s.pending[len(left):])
	s.pending, s.forgotten = left, 0
}
