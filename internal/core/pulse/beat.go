package pulse

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// Beat is a look at the peer, whose output is o: all that a protocol's heartbeat needs. A peer that has been silent for after is
// to be asked (Ask), and one that has stayed silent for timeout since is to be given up (Silent). Call Beat when an alarm comes,
// at the latest after the time after since the connection began; set the next alarm to next; and call Heard when something
// arrives:
//
//	func (c *conn) Alarm() {
//		state, next := c.pulse.Beat(&c.nc.Output, c.nc.Moment(), c.reads(), interval, timeout)
//		switch state {
//		case netconn.PulseSilent:
//			c.nc.Abort()
//			return
//		case netconn.PulseAsk:
//			c.pulse.Post(&c.nc.Output, netconn.Part, ping)
//		}
//		c.nc.SetAlarm(time.Duration(max(next-c.nc.Moment(), 1)))
//	}
//
// reads says that what the peer sends is being read. If not, no sign of life can be seen: the peer is asked again instead of
// being given up. Find reads out before the call, so that a wait that ends meanwhile is not held against the peer. A peer that
// cannot be asked, because the write deadline has passed, is neither asked nor given up.
func (p *Pulse) Beat(o Output, now clock.Moment, reads bool, after, timeout int64) (state State, next clock.Moment) {
	if o.WriteExpired() {
		p.forget()
		return Quiet, now + max(after/2, 1)
	}
	state, next = p.check(o, now, after, timeout)
	if state == Silent && !reads {
		p.forget()
		state, next = p.check(o, now, after, timeout)
	}
	return state, next
}

// Poster sends what a Pulse posts; see netconn.Output.
type Poster interface {
	Post(u output.Unit, p []byte) (ok bool, err error)
	PostShared(u output.Unit, p *bufpool.Shared) (ok bool, err error)
}

// Post sends ping, a frame that is copied, after Ask. If there is no room, the next Beat says Ask again.
func (p *Pulse) Post(o Poster, u output.Unit, ping []byte) {
	if p.ahead == nil {
		_, _ = o.Post(u, ping)
		return
	}
	var left atomic.Bool
	s := bufpool.ShareFunc(append(bufpool.Get(len(ping))[:0], ping...), func(sent bool) { left.Store(sent) })
	defer s.Release()
	if ok, err := o.PostShared(u, s); ok && err == nil {
		p.ahead.left = left.Load
	}
}

// Asked is called after Ask, instead of Post, by the source of the output o: it will have the ping among what is drawn from it
// next. draws is how often output has been drawn from it. The lock under which the source counts is held here and in Beat.
func (p *Pulse) Asked(o Output, draws *uint32) {
	if p.ahead == nil {
		return
	}
	before := *draws
	p.ahead.left = func() bool { // what is drawn has been sent when more is drawn, or when nothing is unsent
		drawn := *draws - before
		return drawn > 1 || drawn == 1 && !o.Unsent()
	}
}
