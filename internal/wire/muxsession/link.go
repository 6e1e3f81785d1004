package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// link is the state of a session's connection.
type link struct {
	up         bool
	midFrame   bool // the connection begins in the middle of a frame: nothing else may be sent before the rest of it
	ackNow     bool
	pingDue    bool   // a PING is to be sent
	pongDue    bool   // a PONG is to be sent
	ackSent    uint64 // the value of received that the peer was told last
	ackAt      int64  // when an ACK is due at the latest; 0: none is needed
	lastHeard  int64  // when something was received last
	pingToken  uint64 // of the PING to be sent, or the last one sent
	pingSentAt int64  // 0: no answer is outstanding
	rtt        int64  // round-trip time of the last ping
	pongToken  uint64
}

const (
	ackEvery = 256 << 10 // received bytes after which an ACK is sent even if there is no other output
	ackDelay = 20e6      // nanoseconds after which an ACK is sent
)

// Received returns how many bytes of frames have been received. On another connection the peer continues after them.
func (s *Session) Received() uint64 { return s.received }

// Connected reports whether the session has a connection.
func (s *Session) Connected() bool { return s.link.up }

// RTT returns the round-trip time of the last ping in nanoseconds, 0 if none was answered yet.
func (s *Session) RTT() int64 { return s.link.rtt }

// Attach gives the session a connection whose peer has received the given number of bytes of frames. It returns false if
// that number is impossible.
func (s *Session) Attach(received uint64, now int64) bool {
	o := &s.out
	if received < o.base || received > o.maxSent {
		return false
	}
	s.link = link{up: true, ackSent: s.received, lastHeard: now, rtt: s.link.rtt}
	s.applyAck(received)
	if o.maxSent > received {
		s.stats.Resent += o.maxSent - received
		s.voidUnsure(received)
	}
	o.sent, s.link.midFrame = received, o.scanned < received
	s.fill(nil)
	if s.Done() {
		s.Ping(now) // both sides may be done: then neither would send anything, and neither would know of the other
	}
	return true
}

// Detach takes the connection away. Memory that was lent to it stays unchanged, as it may still be in use.
func (s *Session) Detach() {
	s.link.up = false
	s.out.release(s.cfg.Memory, true)
	s.fill(nil)
}

// voidUnsure marks frames of AtMostOnce channels as VOID that were sent after offset from and may not have arrived.
func (s *Session) voidUnsure(from uint64) {
	o := &s.out
	var open map[*Channel]bool // channels of which only the first part of a message is void so far
	owned := -1
	for i := 0; i < len(o.chunks); i++ {
		for p := 0; p < len(o.chunks[i].b); {
			k := &o.chunks[i]
			at := k.at + uint64(p)
			t, f, number, size := muxframe.Measure(k.b[p:])
			c := s.outgoing[number]
			if t == muxframe.Data && f&(muxframe.Fin|muxframe.Void) == muxframe.Fin|muxframe.Void {
				delete(open, c) // the message was cancelled
			}
			if t == muxframe.Data && f&muxframe.Void == 0 && c != nil && c.atMostOnce && at >= from && (at < o.maxSent || open[c]) {
				if owned != i {
					o.unshare(s.cfg.Memory, k)
					owned = i
				}
				muxframe.SetVoid(k.b[p:])
				if open == nil {
					open = map[*Channel]bool{}
				}
				if open[c] = f&muxframe.Fin == 0; !open[c] {
					c.out.voided++
					s.cfg.Watcher.Acked(c)
				}
			}
			p += size
		}
	}
	for c, is := range open {
		if is && c.out.midMessage {
			p := c.out.first
			s.voidRest(c)
			c.out.voided++
			s.sentWhole(c, p, nil)
			s.cfg.Watcher.Acked(c)
		}
	}
}

// gotAck acts on an ACK.
func (s *Session) gotAck(n uint64, now int64) error {
	if n > s.out.sent || n < s.out.base {
		return muxframe.Broken("ACK of what was not sent")
	}
	if n == s.out.base {
		return s.budget.spend(now, 1)
	}
	s.applyAck(n)
	s.fill(nil)
	return nil
}

// applyAck walks over the frames up to offset n, which the peer has received, and releases their memory.
func (s *Session) applyAck(n uint64) {
	o := &s.out
	o.base = n
	var told *Channel
	for i := 0; o.scanned < n; {
		k := &o.chunks[i]
		p := int(o.scanned - k.at)
		if p >= len(k.b) {
			i++
			continue
		}
		t, f, number, size := muxframe.Measure(k.b[p:])
		if o.scanned+uint64(size) > n {
			break
		}
		o.scanned += uint64(size)
		switch {
		case t == muxframe.Data && f&muxframe.Fin != 0:
			c := s.lastAcked
			if c == nil || c.number != number {
				if c = s.outgoing[number]; c == nil {
					continue
				}
				s.lastAcked = c
			}
			c.out.finsAcked++
			if f&muxframe.Void == 0 {
				c.out.acked++
			}
			if told != c {
				if told != nil {
					s.cfg.Watcher.Acked(told)
				}
				told = c
			}
		case t == muxframe.Open:
			s.opens -= uint32(size)
		case t == muxframe.End || t == muxframe.Reset:
			if c := s.outgoing[number]; c != nil {
				if c.out.endAcked = true; c.over {
					s.forgetOutgoing(c)
				}
			}
		}
	}
	if told != nil {
		s.cfg.Watcher.Acked(told)
	}
	o.drop(s.cfg.Memory)
}

// afterReceive schedules an ACK for the bytes that were received.
func (s *Session) afterReceive(now int64) {
	l := &s.link
	switch n := s.received - l.ackSent; {
	case n >= ackEvery:
		l.ackNow = true
	case n > 0 && l.ackAt == 0:
		l.ackAt = now + ackDelay
	}
}

// HasOutput reports whether Lend has something to send.
func (s *Session) HasOutput() bool {
	l := &s.link
	return l.up && !s.ended && (s.out.unsent() > 0 || l.ackNow || l.pingDue || l.pongDue)
}

// maxCopied is the most bytes that Lend copies to dst, so that they are sent together with the control frames.
const maxCopied = 4 << 10

// Lend appends the next output to dst and to data: first what is to be sent from dst, then slices of the outbox, about most
// bytes in all and no more slices than data has room for. The slices stay unchanged until the next call of Lend, which tells
// the session that they have been sent. more reports whether Lend must be called again.
func (s *Session) Lend(dst []byte, data [][]byte, most int, now int64) (_ []byte, _ [][]byte, more bool) {
	k := &s.link
	if !k.up || s.ended {
		return dst, data, false
	}
	s.out.release(s.cfg.Memory, false)
	if s.waitingSends > 0 {
		s.fill(nil)
	}
	midFrame := k.midFrame
	if k.midFrame = false; !midFrame {
		dst = s.appendControl(dst, now)
	}
	small := s.out.unsent() <= maxCopied
	if data = s.out.lend(data, most); len(data) == 0 {
		return dst, data, false
	}
	if small {
		for _, p := range data {
			dst = append(dst, p...)
		}
		s.out.release(s.cfg.Memory, false)
		return dst, data[:0], midFrame || s.out.unsent() > 0
	}
	return dst, data, true
}

// appendControl appends the frames that are not counted: ACK, PONG and PING.
func (s *Session) appendControl(dst []byte, now int64) []byte {
	k := &s.link
	if s.received != k.ackSent && (k.ackNow || s.out.unsent() > 0) {
		dst = muxframe.AppendAck(dst, s.received)
		k.ackSent, k.ackAt = s.received, 0
	}
	k.ackNow = false
	if k.pongDue {
		dst, k.pongDue = muxframe.AppendPing(dst, muxframe.Pong, k.pongToken), false
	}
	if k.pingDue {
		dst, k.pingDue = muxframe.AppendPing(dst, muxframe.Ping, k.pingToken), false
		k.pingSentAt = s.cfg.Watcher.Exact()
	}
	return dst
}

// Ping has a PING sent, unless one is outstanding.
func (s *Session) Ping(now int64) {
	if s.link.pingSentAt == 0 && !s.link.pingDue {
		s.link.pingToken++
		s.link.pingDue = true
	}
}

func (s *Session) gotPong(token uint64, now int64) error {
	k := &s.link
	if k.pingSentAt == 0 || token != k.pingToken {
		return s.budget.spend(now, 1)
	}
	k.rtt, k.pingSentAt = max(s.cfg.Watcher.Exact()-k.pingSentAt, 1), 0
	return nil
}

// Pinging reports whether a ping is outstanding.
func (s *Session) Pinging() bool { return s.link.pingDue || s.link.pingSentAt != 0 }

// PingDue reports whether a PING waits for Lend.
func (s *Session) PingDue() bool { return s.link.pingDue }

// LastHeard returns when something was last received on the connection.
func (s *Session) LastHeard() int64 { return s.link.lastHeard }

// Tick must be called at the time that Next has returned, and may be called earlier.
func (s *Session) Tick(now int64) {
	k := &s.link
	if k.ackAt != 0 && now >= k.ackAt {
		k.ackNow = k.ackNow || s.received != k.ackSent
		k.ackAt = 0
	}
}

// Next returns when Tick is to be called, 0 for never.
func (s *Session) Next() int64 { return s.link.ackAt }

// Trim releases memory that an idle session does not need.
func (s *Session) Trim() {
	s.out.trim(s.cfg.Memory)
	s.trimChannels()
}
