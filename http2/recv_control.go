package http2

import "encoding/binary"

func (c *Conn) beginSettings(h FrameHeader) {
	if h.Flags&FlagAck == 0 {
		c.charge(costSettings + int32(h.Length/(settingsPerUnit*settingLen)))
	}
}

func (c *Conn) recvSettings(p []byte) {
	for ; len(p) > 0 && c.err == nil; p = p[settingLen:] {
		id, v := binary.BigEndian.Uint16(p), binary.BigEndian.Uint32(p[2:])
		if err := c.applySetting(id, v); err != nil {
			c.fail(err)
		}
	}
}

// endSettings acknowledges the peer's SETTINGS, which have been applied by now (RFC 9113 §6.5.3), or handles the
// acknowledgement of ours.
func (c *Conn) endSettings(ev *Event) {
	if c.frame.flags&FlagAck == 0 {
		if c.state&connGotMaxStreams == 0 {
			c.peer.maxStreams = unboundedStreams
		}
		if c.checkPending(FrameHeaderLen) {
			c.out = FrameHeader{Type: FrameSettings, Flags: FlagAck}.Append(c.out)
			*ev = Event{Kind: EventSettings}
		}
		return
	}
	if c.state&connAcked != 0 {
		c.charge(costSettings) // acknowledges nothing
		return
	}
	c.state |= connAcked
	c.acknowledged()
	*ev = Event{Kind: EventSettingsAck}
}

// Opaque values of the connection's own PINGs. The owner's do not have the highest bit.
const (
	ownPing   = 1 << 63
	pingRTT   = ownPing | 1
	pingDrain = ownPing | 2
	pingProof = ownPing | 3
)

func (c *Conn) recvPing(h FrameHeader, p []byte, ev *Event) {
	opaque := binary.BigEndian.Uint64(p)
	switch {
	case h.Flags&FlagAck == 0:
		c.charge(costPing)
		if c.checkPending(FrameHeaderLen + 8) {
			c.out = appendPing(c.out, FlagAck, opaque)
		}
	case opaque == pingRTT && c.rttSent != 0:
		c.sampleRTT(c.now - c.rttSent)
		c.rttSent = 0
	case opaque == pingDrain && c.drainDue != 0:
		c.drainLast()
	case opaque == pingProof && c.state&connAsked != 0:
		c.recvProof()
	case opaque&ownPing == 0 && c.pings > 0:
		c.pings--
		*ev = Event{Kind: EventPong, Opaque: opaque}
	default:
		c.charge(costPing) // answers no PING of ours
	}
}

// Ping sends a PING, whose answer is an EventPong. Opaque values with the highest bit set are reserved: the bit is
// cleared.
func (c *Conn) Ping(opaque uint64) {
	if c.err == nil {
		c.pings++
		c.out = appendPing(c.out, 0, opaque&^ownPing)
	}
}

// recvPriority checks a PRIORITY frame and otherwise ignores it (RFC 9113 §5.3.2).
func (c *Conn) recvPriority(h FrameHeader, p []byte, ev *Event) {
	c.charge(costPriority)
	if len(p) != 5 || h.Length != 5 {
		c.refuseID(h.Stream, errPriority, ev)
		return
	}
	if binary.BigEndian.Uint32(p)&maxStreamID == h.Stream {
		c.refuseID(h.Stream, errSelf, ev)
	}
}

func (c *Conn) recvReset(h FrameHeader, p []byte, ev *Event) {
	s := c.live(h.Stream)
	if s == nil {
		if c.checkOpened(h) && !c.debts.takeReply() {
			c.charge(costLate)
		}
		return
	}
	c.chargeCancel(s)
	c.close(s, endPeer)
	s.flags |= flagReset
	*ev = Event{Kind: EventReset, Stream: s, Code: ErrCode(binary.BigEndian.Uint32(p))}
}

func (c *Conn) recvWindowUpdate(h FrameHeader, p []byte, ev *Event) {
	n := binary.BigEndian.Uint32(p) & maxWindow
	if h.Stream == 0 {
		c.chargeUpdate(&c.debts.conn, n)
		c.growConnWindow(n, ev)
		return
	}
	s := c.live(h.Stream)
	if s == nil {
		if c.checkOpened(h) {
			c.chargeUpdate(&c.debts.ended, n)
		}
		return
	}
	c.chargeUpdate(&s.unreturned, n)
	switch {
	case n == 0:
		c.refuseStream(s, errZeroUpdate, ev)
	case int64(s.sendWin)+int64(n) > maxWindow:
		c.refuseStream(s, errWindowOverflow, ev)
	default:
		shut := s.sendWin <= 0
		s.sendWin += int32(n)
		c.requeue(s)
		if shut && s.sendWin > 0 {
			*ev = Event{Kind: EventWindow, Stream: s}
		}
	}
}

func (c *Conn) growConnWindow(n uint32, ev *Event) {
	switch {
	case n == 0:
		c.fail(errZeroUpdate)
	case int64(c.sendWin)+int64(n) > maxWindow:
		c.fail(errWindowOverflow)
	default:
		if c.sendWin <= 0 {
			*ev = Event{Kind: EventWindow}
		}
		c.sendWin += int32(n)
	}
}
