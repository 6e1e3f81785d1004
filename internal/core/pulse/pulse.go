// Package pulse finds out whether a silent peer is alive.
package pulse

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Pulse finds out whether a silent peer is alive: it says when to ask the peer, with a ping of the protocol, and whether
// the peer has failed to answer in time.
//
//	quiet ── nothing has come for after ──► asked ── nothing has come for timeout ──► silent
//	  ▲                                       │  meanwhile the time begins anew each time that
//	  └────────────── something has come ─────┘  the peer has taken output ahead of the ping
//
// A ping behind a long message cannot be answered before the peer has received the message. So the time for the answer
// begins when the ping has been taken, or the output ahead of it has last moved. What is taken may still lie in the peer's
// buffer, unread: the peer has as long for that as it took for as many bytes before.
//
// Heard may be called by any goroutine; calls of the other methods must not overlap. The zero Pulse is ready for use.
type Pulse struct {
	heard atomic.Int64 // when something was last received
	asked clock.Moment // when the peer was asked; 0: it has not been since it was heard
	ahead *ahead       // the output ahead of the ping; nil if there was none
}

// ahead watches the output ahead of a ping.
type ahead struct {
	looks  int          // how often look was called
	left   func() bool  // reports whether the ping has left our queue; nil: it was not sent
	taken  int64        // Progress.Taken at the last look
	mark   int64        // Progress.Taken when the ping is taken; 0: unknown, the ping has not left
	over   bool         // the ping has been taken
	moved  clock.Moment // when output was last seen to be taken
	first  int64        // Progress.Taken when the peer was asked
	buffer int64        // how many bytes may lie unread in the peer's buffer
}

// Output is what a Pulse asks the output to the peer.
type Output interface {
	Progress() transport.Progress
	PeerBuffer() int64
	Unsent() bool
	WriteExpired() bool
}

// State is what Beat has found.
type State uint8

// The states of a peer.
const (
	Quiet  State = iota // the peer has been heard recently, or may still answer
	Ask                 // the peer is to be asked now: call Post, or Asked
	Silent              // the peer has not answered in time
)

// Heard notes that something was received from the peer at now.
func (p *Pulse) Heard(now clock.Moment) { p.heard.Store(now) }

// forget forgets that the peer was asked: it is asked again.
func (p *Pulse) forget() { p.asked, p.ahead = 0, nil }

// check returns the state of the peer, whose output is o, and when to check it again.
func (p *Pulse) check(o Output, now clock.Moment, after, timeout int64) (state State, next clock.Moment) {
	heard := p.heard.Load()
	if p.asked != 0 && heard >= p.asked {
		p.forget()
	}
	if p.asked == 0 {
		if due := heard + after; now < due {
			return Quiet, due
		}
		p.ask(o, now)
		return Ask, p.nextLook(now, now+timeout, timeout)
	}
	due := p.asked + timeout
	if a := p.ahead; a != nil {
		first := a.looks == 0
		a.look(o, now)
		if first && a.over && a.taken-a.first < littleAhead {
			p.ahead = nil // only a late acknowledgement was ahead of the ping
		} else {
			due = a.moved + timeout + a.allowance(p.asked, heard)
		}
	}
	switch {
	case now >= due:
		return Silent, 0
	case p.ahead != nil && p.ahead.left == nil: // there was no room for the ping
		return Ask, p.nextLook(now, due, timeout)
	}
	return Quiet, p.nextLook(now, due, timeout)
}

// nextLook returns when to check a peer that has until due. While output moves, that is looked at more often.
func (p *Pulse) nextLook(now, due clock.Moment, timeout int64) clock.Moment {
	if p.ahead == nil || p.ahead.over {
		return due
	}
	return min(due, now+max(timeout/4, int64(clock.Tick)))
}

// ask notes that the peer is asked at now.
func (p *Pulse) ask(o Output, now clock.Moment) {
	p.asked = now
	if g := o.Progress(); g.Unsent || g.Outstanding > 0 {
		p.ahead = &ahead{taken: g.Taken, first: g.Taken, moved: now}
	}
}

// look notes what the peer has taken.
func (a *ahead) look(o Output, now clock.Moment) {
	a.looks++
	if a.over {
		return
	}
	left := a.left != nil && a.left() // before Progress: the ping is among what that counts
	g := o.Progress()
	if g.Taken > a.taken {
		a.taken, a.moved, a.buffer = g.Taken, now, o.PeerBuffer()
	}
	if left && a.mark == 0 {
		a.mark = g.Taken + g.Outstanding
	}
	a.over = left && g.Taken >= a.mark
}

// allowance returns how long the peer may need for what lies in its buffer, if it goes on as fast as since it was asked. It
// is at most as long as output has been taken since the peer was heard.
func (a *ahead) allowance(asked, heard clock.Moment) int64 {
	bytes, took := a.taken-a.first, a.moved-asked
	if bytes <= 0 {
		return 0
	}
	return min(int64(float64(took)*float64(a.buffer)/float64(bytes)), a.moved-heard)
}

// littleAhead is how little output ahead of a ping makes no difference if it was taken by the first look.
const littleAhead = 64 << 10
