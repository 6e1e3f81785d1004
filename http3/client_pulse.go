package http3

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// pulse finds out whether a server that sends nothing while it has requests is still there: after a silence it is sent a frame without
// meaning, which QUIC has to acknowledge. It looks now and then, and counts looks instead of time, so that a process which did not run for
// a while blames nobody for that. The connection's lock guards it.
type pulse struct {
	timer  *time.Timer // nil before the first request
	beats  bool        // the timer runs: there are requests, or there were at the last look
	heard  uint64      // packets that had come at the last look
	silent time.Duration
	asked  bool // the server was asked; silent counts from then on
}

// looksPerTime is how often the pulse is taken in the shorter one of its times, at least.
const looksPerTime = 4

// shortestSilence is the least silence after which a server is asked, or the frames would cost more than servers take.
const shortestSilence = 200 * time.Millisecond

// beat begins to watch the server. The caller, who begins a request, must hold the lock.
func (k *clientConn) beat() {
	p := &k.pulse
	if p.beats || k.cl.pingAfter <= 0 {
		return
	}
	p.beats, p.asked, p.silent, p.heard = true, false, 0, k.qc.packetsReceived()
	if p.timer == nil {
		p.timer = time.AfterFunc(k.cl.pingPace(), k.look)
	} else {
		p.timer.Reset(k.cl.pingPace())
	}
}

// look takes the pulse.
func (k *clientConn) look() {
	k.mu.Lock()
	p := &k.pulse
	if p.beats = k.open > 0 && k.err == nil; !p.beats {
		k.mu.Unlock()
		return
	}
	if heard := k.qc.packetsReceived(); heard != p.heard {
		p.heard, p.asked, p.silent = heard, false, 0
	} else {
		p.silent += k.cl.pingPace()
	}
	limit := k.cl.pingAfter
	if p.asked {
		limit = k.cl.pingTimeout
	}
	long := p.silent >= limit
	lost := long && p.asked
	if long && !lost && k.greeted && k.ctl.writeAll(blank) {
		p.asked, p.silent = true, 0
	}
	if !lost {
		p.timer.Reset(k.cl.pingPace())
	}
	k.mu.Unlock()
	if lost {
		k.end(&brokenError{errSilent})
	}
}

// blank is a frame of a type that means nothing (RFC 9114 §7.2.8), without content.
var blank = h3frame.AppendHeader(nil, 0x21, 0)

// pingPace returns the time between two looks.
func (c *client) pingPace() time.Duration {
	return max(min(c.pingAfter, c.pingTimeout)/looksPerTime, time.Millisecond)
}
