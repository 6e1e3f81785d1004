package clientconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// pulse finds out whether a server that is silent while it has requests is still there: after PingInterval it is sent a frame without
// meaning, which QUIC must acknowledge. The pulse is checked now and then, and checks are counted instead of time, so that a process that
// did not run for a while blames no server for that.
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

// looksPerTime is the least number of checks within the shorter of the two times.
const looksPerTime = 4

// ShortestSilence is the least silence before a ping: more frequent ones would look like a flood to servers.
const ShortestSilence = 200 * time.Millisecond

// pace returns the time between two checks.
func (p *pulse) pace() time.Duration {
	return max(min(p.after, p.timeout)/looksPerTime, time.Millisecond)
}

// begin starts to listen. It returns false if no check is to be scheduled: the pulse listens already, or sends no pings.
func (p *pulse) begin(heard uint64) bool {
	if !p.mayBegin() {
		return false
	}
	p.state, p.silent, p.heard = listening, 0, heard
	return true
}

// mayBegin reports whether begin would do anything. It is cheaper than begin, which needs the count of packets.
func (p *pulse) mayBegin() bool { return p.state == resting && p.after > 0 }

// rest ends the listening.
func (p *pulse) rest() { p.state = resting }

// look checks the pulse. ask pings the server; it returns false if that is not possible now.
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
