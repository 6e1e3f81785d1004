package streamsock

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// heartbeat records signs of life on ws and wss. conn.Data sets it and conn.Alarm checks it.
type heartbeat struct {
	interval time.Duration // 0: off
	pulse    netconn.Pulse
}

// signOfLife records a sign of life.
func (l *heartbeat) signOfLife(now int64) {
	if l.interval > 0 {
		l.pulse.Heard(now)
	}
}

// check pings the peer on w when it is time to, and returns the time until the next check, or reports that a ping was not
// answered; see netconn.Pulse. isRead says that what the peer sends is being read.
func (l *heartbeat) check(w *frames, now int64, isRead bool) (next time.Duration, silent bool) {
	state, at := l.pulse.Beat(w.out, now, isRead, int64(l.interval), int64(l.interval))
	switch state {
	case netconn.PulseSilent:
		return 0, true
	case netconn.PulseAsk:
		l.pulse.Post(w.out, netconn.Whole, w.append(nil, wsframe.Ping, nil))
	}
	return time.Duration(max(at-now, 1)), false
}
