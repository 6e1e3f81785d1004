package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// link is the state of a session's connection, and what it has to tell the peer beside the stream of frames: ACK, PING and
// PONG.
type link struct {
	received   uint64 // bytes of frames that have come over all connections
	state      linkState
	due        dueFrames
	pingToken  uint32 // of the PING to be sent, or the last one sent
	ackSent    uint64 // the value of received that the peer was told last
	ackAt      int64  // when an ACK is due at the latest; 0: none is needed
	lastHeard  int64  // when something was received last
	pingSentAt int64  // 0: no answer is outstanding
	rtt        int64  // round-trip time of the last ping
	pongToken  uint64
}

// linkState says whether there is a connection.
type linkState uint8

const (
	linkDown     linkState = iota
	linkMidFrame           // it begins in the middle of a frame: nothing else may be sent before the rest of it
	linkUp
)

// dueFrames are the frames that are to be sent even if there is no other output.
type dueFrames uint8

const (
	dueAck dueFrames = 1 << iota
	duePing
	duePong
)

const (
	ackEvery = 256 << 10 // received bytes after which an ACK is sent even if there is no other output
	ackDelay = 20e6      // nanoseconds after which an ACK is sent
)

// begin starts a new connection. The peer has been told what was received.
func (l *link) begin(now int64) {
	*l = link{received: l.received, rtt: l.rtt, state: linkUp, ackSent: l.received, lastHeard: now}
}

// Received returns how many bytes of frames have been received. On another connection the peer continues after them.
func (l *link) Received() uint64 { return l.received }

// Connected reports whether the session has a connection.
func (l *link) Connected() bool { return l.state != linkDown }

// RTT returns the round-trip time of the last ping in nanoseconds, 0 if none was answered yet.
func (l *link) RTT() int64 { return l.rtt }

// LastHeard returns when something was last received on the connection.
func (l *link) LastHeard() int64 { return l.lastHeard }

// Ping has a PING sent, unless one is outstanding.
func (l *link) Ping() {
	if !l.Pinging() {
		l.pingToken++
		l.due |= duePing
	}
}

// Pinging reports whether a ping is outstanding.
func (l *link) Pinging() bool { return l.PingDue() || l.pingSentAt != 0 }

// PingDue reports whether a PING waits for Lend.
func (l *link) PingDue() bool { return l.due&duePing != 0 }

// Tick must be called at the time that Next has returned, and may be called earlier.
func (l *link) Tick(now int64) {
	if l.ackAt != 0 && now >= l.ackAt {
		if l.ackAt = 0; l.received != l.ackSent {
			l.due |= dueAck
		}
	}
}

// Next returns when Tick is to be called, 0 for never.
func (l *link) Next() int64 { return l.ackAt }

// scheduleAck schedules an ACK for the bytes that were received.
func (l *link) scheduleAck(now int64) {
	switch n := l.received - l.ackSent; {
	case n >= ackEvery:
		l.due |= dueAck
	case n > 0 && l.ackAt == 0:
		l.ackAt = now + ackDelay
	}
}

// appendControl appends the frames that are not counted: ACK, PONG and PING. They leave before other output, if there is any.
func (l *link) appendControl(dst []byte, other bool) (_ []byte, pinged bool) {
	if l.received != l.ackSent && (l.due&dueAck != 0 || other) {
		dst = muxframe.AppendAck(dst, l.received)
		l.ackSent, l.ackAt = l.received, 0
	}
	if l.due&duePong != 0 {
		dst = muxframe.AppendPing(dst, muxframe.Pong, l.pongToken)
	}
	if pinged = l.PingDue(); pinged {
		dst = muxframe.AppendPing(dst, muxframe.Ping, uint64(l.pingToken))
	}
	l.due = 0
	return dst, pinged
}

// gotPing has a PING answered.
func (l *link) gotPing(token uint64) {
	l.due |= duePong
	l.pongToken = token
}

// gotPong reports whether token is that of the outstanding PING, whose round trip is measured then.
func (l *link) gotPong(token uint64, exact int64) bool {
	if l.pingSentAt == 0 || token != uint64(l.pingToken) {
		return false
	}
	l.rtt, l.pingSentAt = max(exact-l.pingSentAt, 1), 0
	return true
}
