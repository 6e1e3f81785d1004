package tcpmux

import (
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// heartbeat watches a peer that has been silent for Config.PingInterval. The session's lock guards it.
type heartbeat struct {
	pulse  netconn.Pulse
	next   int64  // when to look again
	draws  uint32 // how often Lend was called since the peer was silent
	silent bool   // the peer has not answered in time: this side has ended the connection
}

// heartbeatDue returns when the peer is to be checked, 0 for never. h is nil while the peer is not silent.
func heartbeatDue(h *heartbeat, core *muxsession.Session, interval int64) int64 {
	switch {
	case interval == 0:
		return 0
	case h != nil:
		return h.next
	}
	return core.LastHeard() + interval
}

// check pings a peer that has been silent for interval, and reports whether it has answered in time; see netconn.Pulse.
func (h *heartbeat) check(core *muxsession.Session, out *netconn.Output, now, interval int64) (alive bool) {
	h.pulse.Heard(core.LastHeard())
	var state netconn.PulseState
	switch state, h.next = h.pulse.Beat(out, now, true, interval, interval); state {
	case netconn.PulseSilent:
		h.silent = true
		return false
	case netconn.PulseAsk:
		h.pulse.Asked(out, &h.draws)
		if core.Ping(); !core.PingDue() {
			h.draws++ // the PING of a Session.Ping, which was drawn before
		}
	}
	return true
}
