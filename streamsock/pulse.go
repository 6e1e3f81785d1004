package streamsock

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// pulse watches for signs of life; conn.Data and conn.Alarm look at it.
type pulse struct {
	interval time.Duration // 0: nobody watches
	sign     atomic.Int64  // when the last one came
	asked    int64         // when it was asked for one; 0: not since
}

// note notes a sign of life.
func (l *pulse) note(now int64) {
	if l.interval > 0 {
		l.sign.Store(now)
	}
}

// The least that a message which has begun must bring: so many bytes a second, judged over so long a time. Half a message
// holds memory, and who receives it waits for its end; between messages a peer may be silent as long as Config.Idle says.
const (
	leastRate = 240
	rateGrace = 10 * time.Second
)

// pace is the account of a message that comes in pieces. The connection's goroutine keeps it; alarms look at it.
type pace struct {
	mu    sync.Mutex
	began int64 // when the span that is judged began; 0: no message is under way
	bytes int64 // that it has brought since
}

// note is told that n bytes have been taken, and whether that was between two messages. It reports true when a message has
// begun: then it is to be looked at after rateGrace.
func (a *pace) note(now int64, n int, between bool) (begins bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case between:
		a.began = 0
	case a.began == 0:
		a.began, a.bytes = now, 0
		return true
	default:
		a.bytes += int64(n)
	}
	return false
}

// pause is told that for so long nobody has read.
func (a *pace) pause(d int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.began != 0 {
		a.began += d
	}
}

// late reports whether the message has brought less than it must in a span that is over, and begins the next. A message is
// under way if it is to be looked at again.
func (a *pace) late(now int64) (late, underWay bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	waited := time.Duration(now - a.began)
	if a.began != 0 && waited >= rateGrace {
		late = a.bytes < int64(waited/time.Second)*leastRate
		a.began, a.bytes = now, 0
	}
	return late, a.began != 0
}

// alarm has Alarm called after d, or earlier.
func (c *conn) alarm(d time.Duration) {
	if c.pulse.interval > 0 && c.pulse.interval < d {
		d = c.pulse.interval
	}
	c.nc.SetAlarm(d)
}

// Alarm implements netconn.Alarmer.
func (c *conn) Alarm() {
	now := c.nc.Moment()
	waits := c.waits.Load() // first: what is accounted for when it ends is looked at afterwards
	late, underWay := c.pace.late(now)
	if late && !waits {
		c.fail(errTooSlow)
		return
	}
	next := time.Duration(0)
	if underWay {
		next = rateGrace
	}
	if c.pulse.interval > 0 {
		rest := c.beat(now, waits)
		if rest <= 0 {
			c.fail(errSilent)
			return
		}
		if next == 0 || rest < next {
			next = rest
		}
	}
	if next > 0 {
		c.nc.SetAlarm(next)
	}
}

// beat asks the peer for a sign of life when it is time to, and returns how long it is until the next look: nothing when no
// sign has followed. waits tells that nothing is read, so that none can.
func (c *conn) beat(now int64, waits bool) time.Duration {
	l := &c.pulse
	sign := l.sign.Load()
	if l.asked != 0 && sign < l.asked {
		if rest := time.Duration(l.asked-now) + l.interval; rest > 0 {
			return rest
		}
		if waits {
			return l.interval
		}
		return 0
	}
	if rest := time.Duration(sign-now) + l.interval; rest > 0 {
		return rest
	}
	l.asked = now
	w := c.wire.(*frames)
	_, _ = c.nc.Post(netconn.Whole, w.append(nil, wsframe.Ping, nil))
	return l.interval
}

// fail ends the connection at once, for a reason of ours.
func (c *conn) fail(err error) {
	p := c.peer
	p.mu.Lock()
	if !c.told && !c.closing {
		c.end, c.closing = endOf(err, c.framed), true
	}
	p.room.Broadcast()
	p.mu.Unlock()
	c.nc.Quit()
}
