package clientconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// pulse finds out whether a server that sends nothing while it has requests is still there: after a silence it is sent a frame without
// meaning, which QUIC has to acknowledge. It looks now and then, and counts looks instead of time, so that a process which did not run for
// a while blames nobody for that.
//
//	resting ◄──► listening ── silence ─► asked ── silence ─► lost
//	                  ▲                    │
//	                  └──── a packet ──────┘
type pulse struct {
	after, timeout time.Duration // the silence before the question, and behind it
	state          pulseState
	heard          uint64 // packets that had come at the last look
	silent         time.Duration
}

type pulseState uint8

const (
	resting   pulseState = iota // there are no requests, or there were none at the last look
	listening                   // the server is listened to
	asked                       // it was asked; silent counts from then on
	lost                        // it is gone
)

// looksPerTime is how often the pulse is taken in the shorter one of its times, at least.
const looksPerTime = 4

// ShortestSilence is the least silence after which a server is asked, or the frames would cost more than servers take.
const ShortestSilence = 200 * time.Millisecond

// pace returns the time between two looks.
func (p *pulse) pace() time.Duration {
	return max(min(p.after, p.timeout)/looksPerTime, time.Millisecond)
}

// begin begins to listen. It returns false if nobody is to look: the server is listened to already, or is never asked.
func (p *pulse) begin(heard uint64) bool {
	if !p.mayBegin() {
		return false
	}
	p.state, p.silent, p.heard = listening, 0, heard
	return true
}

// mayBegin reports whether begin would do anything. It needs no count of packets, which costs more than the answer.
func (p *pulse) mayBegin() bool { return p.state == resting && p.after > 0 }

// rest ends that.
func (p *pulse) rest() { p.state = resting }

// look takes the pulse. ask asks the server; it returns false if that is not possible now.
func (p *pulse) look(heard uint64, ask func() bool) pulseState {
	if heard != p.heard {
		p.state, p.heard, p.silent = listening, heard, 0
	} else {
		p.silent += p.pace()
	}
	switch {
	case p.state == listening && p.silent >= p.after && ask():
		p.state, p.silent = asked, 0
	case p.state == asked && p.silent >= p.timeout:
		p.state = lost
	}
	return p.state
}

// blank is a frame of a type that means nothing (RFC 9114 §7.2.8), without content.
var blank = h3frame.AppendHeader(nil, 0x21, 0)
