package h2client

import (
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// HeadLocked implements h2conn.Owner.
func (c *Conn) HeadLocked(ev *http2.Event) {
	h2conn.StreamOf(ev.Stream).Owner.(*Exchange).headLocked(ev)
	c.headsReceived++
}

// TrailersLocked implements h2conn.Owner.
func (c *Conn) TrailersLocked(ev *http2.Event) {
	x := h2conn.StreamOf(ev.Stream).Owner.(*Exchange)
	x.Trailer = append(x.Trailer[:0], ev.Head.Fields...)
}

// Ready implements h2conn.Owner.
func (c *Conn) Ready() {
	c.Lock()
	c.health.HeardLocked(c.Now())
	c.admitLocked()
	received := c.settingsPending
	c.settingsPending = false
	c.Unlock()
	if received && c.cfg.SettingsReceived != nil {
		c.cfg.SettingsReceived()
	}
}

// ConnEventLocked implements h2conn.Watcher.
func (c *Conn) ConnEventLocked(ev *http2.Event) {
	switch ev.Kind {
	case http2.EventReset:
		c.CountLaterLocked("recv_rststream_" + h2conn.Token(ev.Code))
		return
	case http2.EventGoAway:
	case http2.EventPong:
		c.pings.answered(c.MessagesLocked())
		return
	default:
		c.settingsPending = c.settingsPending || ev.Kind == http2.EventSettings // Ready calls Config.SettingsReceived
		return
	}
	if ev.Code != http2.ErrCodeNo {
		c.CountLaterLocked("recv_goaway_" + h2conn.Token(ev.Code))
	}
	c.goAway = &GoAwayError{LastStream: ev.LastStream, Code: ev.Code, Debug: string(ev.Data)}
	c.retireLocked()
}

var _ h2conn.Watcher = (*Conn)(nil)
