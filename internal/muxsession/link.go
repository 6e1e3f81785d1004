package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// link is what a session knows of its connection.
type link struct {
	up      bool
	within  bool   // the connection begins within a frame: nothing else can be said before its rest
	told    uint64 // received, as the peer knows it
	ackNow  bool
	ackAt   int64 // when the peer is told at the latest; 0: it knows
	heard   int64 // when something came last
	ping    bool  // to be sent
	pong    bool
	token   uint64 // of the ping that is to be sent, or was
	asked   int64  // when it was asked for; 0: it was answered
	rtt     int64  // of the last ping
	pongFor uint64
}

const (
	ackEvery = 256 << 10 // bytes after which the peer is told what was received, even if nothing else is said
	ackDelay = 20e6      // nanoseconds after which it is
)

// Received returns how many bytes of frames have been taken: on another connection the peer goes on behind them.
func (s *Session) Received() uint64 { return s.received }

// Connected reports whether the session has a connection.
func (s *Session) Connected() bool { return s.link.up }

// RTT returns how long the last ping took, 0 if none was answered yet.
func (s *Session) RTT() int64 { return s.link.rtt }

// Attach gives the session a connection whose peer has received so many bytes of frames. It returns false if that cannot
// be.
func (s *Session) Attach(received uint64, now int64) bool {
	o := &s.out
	if received < o.base || received > o.most {
		return false
	}
	s.link = link{up: true, told: s.received, heard: now, rtt: s.link.rtt}
	s.acked(received)
	if o.most > received {
		s.stats.Resent += o.most - received
		s.void(received)
	}
	o.sent, s.link.within = received, o.walked < received
	s.fill(nil)
	return true
}

// Detach takes the connection away. What was lent to it stays as it is for as long as somebody looks at it.
func (s *Session) Detach() {
	s.link.up = false
	s.out.release(true)
	s.fill(nil)
}

// void marks what was sent behind an offset, and has perhaps not arrived, of channels in which nothing is sent again.
func (s *Session) void(from uint64) {
	o := &s.out
	var open map[*Channel]bool // with a message of which a part is void
	owned := -1
	for i := 0; i < len(o.chunks); i++ {
		for p := 0; p < len(o.chunks[i].b); {
			k := &o.chunks[i]
			at := k.at + uint64(p)
			t, f, number, size := muxframe.Measure(k.b[p:])
			c := s.outgoing[number]
			if t == muxframe.Data && f&muxframe.Void == 0 && c != nil && c.once && at >= from && (at < o.most || open[c]) {
				if owned != i {
					o.own(k)
					owned = i
				}
				muxframe.SetVoid(k.b[p:])
				if open == nil {
					open = map[*Channel]bool{}
				}
				if open[c] = f&muxframe.Fin == 0; !open[c] {
					c.out.voided++
				}
			}
			p += size
		}
	}
	for c, is := range open {
		if is && c.out.tail {
			p := c.out.first
			s.voidRest(c)
			c.out.voided++
			s.sentWhole(c, p, nil)
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
	s.acked(n)
	s.fill(nil)
	return nil
}

// acked looks through the frames up to an offset, which the peer has, and gives back their memory.
func (s *Session) acked(n uint64) {
	o := &s.out
	o.base = n
	var told *Channel
	for i := 0; o.walked < n; {
		k := &o.chunks[i]
		p := int(o.walked - k.at)
		if p >= len(k.b) {
			i++
			continue
		}
		t, f, number, size := muxframe.Measure(k.b[p:])
		if o.walked+uint64(size) > n {
			break
		}
		o.walked += uint64(size)
		switch {
		case t == muxframe.Data && f&(muxframe.Fin|muxframe.Void) == muxframe.Fin:
			c := s.last
			if c == nil || c.number != number {
				if c = s.outgoing[number]; c == nil {
					continue
				}
				s.last = c
			}
			c.out.acked++
			if told != c {
				if told != nil {
					s.cfg.Watcher.Acked(told)
				}
				told = c
			}
		case t == muxframe.End || t == muxframe.Reset:
			if c := s.outgoing[number]; c != nil {
				if c.out.known = true; c.over {
					s.settled(c)
				}
			}
		}
	}
	if told != nil {
		s.cfg.Watcher.Acked(told)
	}
	o.drop()
}

// afterReceive sees to it that the peer learns of what has come.
func (s *Session) afterReceive(now int64) {
	l := &s.link
	switch n := s.received - l.told; {
	case n >= ackEvery:
		l.ackNow = true
	case n > 0 && l.ackAt == 0:
		l.ackAt = now + ackDelay
	}
}

// HasOutput reports whether there is something to be lent.
func (s *Session) HasOutput() bool {
	l := &s.link
	return l.up && !s.ended && (s.out.unsent() > 0 || l.ackNow || l.ping || l.pong)
}

// copied is up to how many bytes are copied by Lend, so that they are sent together with what goes before.
const copied = 4 << 10

// Lend appends to dst what is to be sent on the connection first, and to data, as far as that has room, slices that go
// behind it, about so many bytes. These stay as they are until the next Lend, which says that they have left. more tells
// that there is to be one.
func (s *Session) Lend(dst []byte, data [][]byte, most int, now int64) (_ []byte, _ [][]byte, more bool) {
	k := &s.link
	if !k.up || s.ended {
		return dst, data, false
	}
	s.out.release(false)
	if s.waiting > 0 {
		s.fill(nil)
	}
	within := k.within
	if k.within = false; !within {
		dst = s.appendControl(dst, now)
	}
	small := s.out.unsent() <= copied
	if data = s.out.lend(data, most); len(data) == 0 {
		return dst, data, false
	}
	if small {
		for _, p := range data {
			dst = append(dst, p...)
		}
		s.out.release(false)
		return dst, data[:0], within || s.out.unsent() > 0
	}
	return dst, data, true
}

// appendControl appends the frames that belong to the connection.
func (s *Session) appendControl(dst []byte, now int64) []byte {
	k := &s.link
	if s.received != k.told && (k.ackNow || s.out.unsent() > 0) {
		dst = muxframe.AppendAck(dst, s.received)
		k.told, k.ackAt = s.received, 0
	}
	k.ackNow = false
	if k.pong {
		dst, k.pong = muxframe.AppendPing(dst, muxframe.Pong, k.pongFor), false
	}
	if k.ping {
		dst, k.ping = muxframe.AppendPing(dst, muxframe.Ping, k.token), false
		k.asked = now
	}
	return dst
}

// Ping has the peer asked for a sign of life, once at a time.
func (s *Session) Ping(now int64) {
	if s.link.asked == 0 && !s.link.ping {
		s.link.token++
		s.link.ping = true
	}
}

func (s *Session) gotPong(token uint64, now int64) error {
	k := &s.link
	if k.asked == 0 || token != k.token {
		return s.budget.spend(now, 1)
	}
	k.rtt, k.asked = max(now-k.asked, 1), 0
	return nil
}

// Pinging reports whether a ping has not been answered.
func (s *Session) Pinging() bool { return s.link.ping || s.link.asked != 0 }

// Tick is called when the moment has come that Next has named, or earlier. keepalive is after how long a silence the peer is
// asked for a sign of life, 0 for never. It returns false when the peer is silent for too long.
func (s *Session) Tick(now, keepalive int64) (alive bool) {
	k := &s.link
	if k.ackAt != 0 && now >= k.ackAt {
		k.ackNow = k.ackNow || s.received != k.told
		k.ackAt = 0
	}
	if keepalive > 0 && now-k.heard >= keepalive {
		if now-k.heard >= 2*keepalive {
			return false
		}
		s.Ping(now)
	}
	return true
}

// Next returns when Tick is to be called, 0 for never.
func (s *Session) Next(keepalive int64) int64 {
	k := &s.link
	at := k.ackAt
	if keepalive > 0 {
		silent := k.heard + keepalive
		if k.asked != 0 || k.ping {
			silent += keepalive
		}
		if at == 0 || silent < at {
			at = silent
		}
	}
	return at
}

// Trim gives back what an idle session does not need. Maps do not shrink by themselves.
func (s *Session) Trim() {
	s.out.trim()
	s.scratch = nil
	if len(s.names)+len(s.numbers)+len(s.outgoing) == 0 {
		s.names, s.numbers, s.outgoing = nil, nil, nil
	}
}
