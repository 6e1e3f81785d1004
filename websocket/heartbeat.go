package websocket

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// heartbeat is what a connection with Config.PingInterval knows about its peer's signs of life. Calls of check do not
// overlap; heard may be called by any goroutine.
type heartbeat struct {
	interval time.Duration
	pulse    netconn.Pulse
}

// heard records that something was received from the peer. h may be nil.
func (h *heartbeat) heard(link *netconn.Link) {
	if h != nil {
		h.pulse.Heard(link.Moment())
	}
}

// start begins to look for signs of life. h may be nil.
func (h *heartbeat) start(out *sender) {
	if h != nil {
		h.heard(out.link)
		h.check(out, true)
	}
}

// check pings a peer that has been silent for the interval. If the peer stays silent for that long again, it reports true:
// the peer is considered dead; see netconn.Pulse.
func (h *heartbeat) check(out *sender, isRead bool) (dead bool) {
	interval, p := int64(h.interval), &h.pulse
	state, next := p.Beat(&out.link.Output, out.link.Moment(), isRead, interval, interval)
	switch state {
	case netconn.PulseSilent:
		return true
	case netconn.PulseAsk:
		frame := out.control(wsframe.Ping, nil)
		p.Post(&out.link.Output, netconn.Part, frame)
		bufpool.Put(frame)
	}
	h.schedule(out, next)
	return false
}

// schedule has the owner's alarm called at the time at, which calls check.
func (h *heartbeat) schedule(out *sender, at int64) {
	if !out.over.Load() {
		out.link.SetAlarm(time.Duration(max(at-out.link.Moment(), 1)))
	}
}
