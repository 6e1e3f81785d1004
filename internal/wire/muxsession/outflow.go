package muxsession

import (
	"errors"
	"math"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// The errors of Sends that waited.
var (
	ErrPeerStopped = errors.New("muxsession: the peer takes nothing more of the channel")
	ErrReset       = errors.New("muxsession: the channel was reset")
	ErrGone        = errors.New("muxsession: the peer ends the session")
)

// outflow is the sending direction of a session: it puts pieces of the waiting Sends into the outbox, as windows and limits
// allow, and then the ends of halves and of the session.
type outflow struct {
	*shared
	credit int // what the peer's session window has left
	owner  halfEnder
}

// halfEnder is told when this side's half of a channel has ended. It is the Session.
type halfEnder interface{ ourHalfEnded(c *Channel) }

// backlog is how many unsent bytes the outbox may hold while there is a connection. Messages beyond it wait, and can still
// be reordered by priority.
const backlog = 256 << 10

// MaxMessage returns the maximum size of a message that this side may send.
func (o *outflow) MaxMessage() int {
	if o.theirs.maxMessage == 0 {
		return math.MaxInt
	}
	return int(o.theirs.maxMessage)
}

// Send puts as much of a message into the outbox as windows and limits allow. It returns true if p is done; otherwise
// Watcher.Sent is called when it is. The caller has checked that the channel may send.
func (o *outflow) Send(c *Channel, p *Send) (done bool) {
	c.out.push(p)
	o.waitingSends++
	if c.out.first != p {
		return false
	}
	o.sched.add(c)
	o.fill(p)
	return c.out.first != p
}

// Cancel takes p back. It returns false if p is already done. A message that was sent in part is not delivered.
func (o *outflow) Cancel(c *Channel, p *Send) bool {
	if c.out.first == p {
		if p.off > 0 {
			o.voidRest(c)
		}
		o.sendDone(c, p)
		o.fill(nil) // there may be room for the next message
		return true
	}
	if !c.out.removeLater(p) {
		return false
	}
	o.waitingSends--
	return true
}

// Fits reports whether a message of n bytes could be put into the outbox as a whole now.
func (o *outflow) Fits(c *Channel, n int) bool {
	pieces := n/(muxframe.MaxData/2) + 2
	cost, size := n+pieces*muxframe.Overhead, n+pieces*muxframe.MaxHead
	return c.out.first == nil && o.sched.empty() && o.mayFill() && o.out.kept()+size <= o.cfg.Kept &&
		c.out.credit >= cost && (o.credit >= cost || int(c.out.reserve) >= cost) && (!o.Connected() || o.out.unsent()+size <= backlog)
}

// sentWhole counts p, which is in the outbox as a whole.
func (o *outflow) sentWhole(c *Channel, p, now *Send) {
	c.out.counts.sent++
	o.stats.Sent++
	o.stats.SentBytes += uint64(len(p.P))
	o.sendDone(c, now)
}

// sendDone removes the first Send of c. It ends the half or the session if that was waiting for it. The Watcher is not called
// for the Send now.
func (o *outflow) sendDone(c *Channel, now *Send) {
	p := c.out.pop()
	if c.out.first == nil {
		o.sate(c)
	}
	o.waitingSends--
	if p != now {
		o.watcher.Sent(p)
	}
	switch {
	case c.out.first != nil:
		o.sched.add(c)
	case c.state.ours == oursEnding:
		o.endHalf(c)
	case o.phase == leaving:
		o.goAway()
	}
}

// failSends fails all waiting Sends of c.
func (o *outflow) failSends(c *Channel, err error) {
	for c.out.first != nil {
		p := c.out.pop()
		p.Err = err
		o.waitingSends--
		o.watcher.Sent(p)
	}
	o.sate(c)
}

// voidRest ends the current message, of which a part is in the outbox, with VOID, so that it is not delivered.
func (o *outflow) voidRest(c *Channel) {
	o.write(muxframe.AppendData(o.tail(muxframe.MaxControl), c.number, muxframe.Fin|muxframe.Void, 0))
	c.out.counts.fins++
}

// endHalf writes END for our half of c, unless GOAWAY was sent: the channel then ends with the session.
func (o *outflow) endHalf(c *Channel) {
	if c.state.ours >= oursEnded || o.phase >= left {
		return
	}
	c.state.ours = oursEnded
	o.writeEnd(c)
	o.owner.ourHalfEnded(c)
	o.goAway()
}

// writeEnd writes END, with STOP if this side receives nothing more.
func (o *outflow) writeEnd(c *Channel) {
	var f muxframe.Flags
	if c.state.stopped {
		f = muxframe.Stop
	}
	o.write(muxframe.AppendEnd(o.tail(muxframe.MaxControl), c.number, f))
}

// GoAway closes the session in order: GOAWAY is written after the waiting Sends.
func (o *outflow) GoAway() {
	if o.phase == running {
		o.phase = leaving
	}
	o.goAway()
}

// goAway writes GOAWAY if it is due.
func (o *outflow) goAway() {
	if o.phase == leaving && o.waitingSends == 0 {
		o.phase = left
		o.write(muxframe.AppendGoaway(o.tail(muxframe.MaxControl), o.numbering.lastTheirs))
	}
}
