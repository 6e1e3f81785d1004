package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Channel is one side of a channel. The zero Channel is passed to Open, or returned by Watcher.Announced.
//
//	        we open             both halves have ended, or one side has reset it
//	new ─┬────────► open ──────────────────────────────────────────────► over
//	     └────────►  ▲
//	      the peer   └ with the peer's OPEN of the same name: still one channel
type Channel struct {
	Owner any // for the user of this package

	name       string
	number     uint32 // the number this side sends under: its own if it has opened the channel
	theirs     uint32 // the number the peer sends under if it has opened the channel, too; else 0
	opened     bool   // this side has opened it, or claimed it
	atMostOnce bool   // messages that may have been lost are not sent again
	over       bool
	reset      *Reset // nil if it was not reset

	out sender
	in  receiver
}

// Reset describes how a channel was reset.
type Reset struct {
	Code uint32
	Peer bool // the peer has reset it
}

// sender is the sending half of a channel.
type sender struct {
	credit      int    // what the peer's window for the channel has left
	exempt      int    // what a GRANT has left for the current message
	fins        uint64 // messages whose last frame is in the outbox or has left it
	finsAcked   uint64 // how many of these frames the peer has received
	grants      uint64 // the messages up to the last one for which a GRANT has come
	sent        uint64 // messages that are in the outbox as a whole
	acked       uint64
	voided      uint64 // messages that were dropped on their way
	first       *Send  // waiting Sends; a part of the first may be in the outbox
	last        *Send
	next        *Channel // in the scheduler's list
	reserve     int32    // what the channel's reserve has left
	starving    int32    // place among the channels that wait for the session's window
	class       Class
	inTurn      bool
	midMessage  bool // a part of a message is in the outbox, and its end is not
	ending      Ending
	ended       bool // END or RESET is in the outbox
	endAcked    bool // the peer has acknowledged END or RESET
	peerStopped bool // the peer receives nothing more
}

// Ending says whether and how a half ends after its waiting Sends.
type Ending uint8

// The endings.
const (
	Open       Ending = iota
	SendClosed        // after the Sends that wait
	Stopped           // the same, and this side receives nothing more
)

// receiver is the receiving half of a channel.
type receiver struct {
	inbox         inbox
	partial       []byte // the current message, as far as it has come; from the pool, or a reader's buffer
	readerBuf     []byte // a waiting reader's buffer for the next message
	inReaderBuf   bool   // partial is a reader's buffer
	partialCost   int    // what partial counts for in the windows
	partialVoid   bool   // the current message is not to be delivered
	exempt        int    // the part of the current message that came with a GRANT and does not count
	midMessage    bool   // a part of a message has come, and its end has not
	granted       int    // bytes of a GRANT that are left
	credit        int    // what the peer may still send
	used          int    // cost of the messages in the inbox
	window        int    // limit of credit and used together
	messages      uint64 // messages that have ended
	received      uint64 // messages that were delivered to the inbox
	credited      int    // credit given since creditedSince
	creditedSince int64
	reserve       int32 // what the peer may still send of the reserve
	reserved      int32 // the part of used and partialCost that counts in the reserve and not in the session's window
	// Places among the channels to which a GRANT may be given: without a waiting reader, and with one.
	grantable, grantableFirst int32

	awaited  bool // a reader waits for a message
	hasGrant bool // a GRANT was given for the current message
	ended    bool // the peer has ended its half
	stopped  bool // this side receives nothing more
}

// Name returns the channel's name.
func (c *Channel) Name() string { return c.name }

// Opened reports whether this side has opened the channel.
func (c *Channel) Opened() bool { return c.opened }

// Claim records that this side opens the channel, which the peer has opened already. Nothing is sent.
func (c *Channel) Claim() { c.opened = true }

// Over reports whether the channel is over on this side.
func (c *Channel) Over() bool { return c.over }

// WasReset returns how the channel was reset, nil if it was not.
func (c *Channel) WasReset() *Reset { return c.reset }

// Ended reports whether the peer has ended its half. The inbox may still hold messages.
func (c *Channel) Ended() bool { return c.in.ended }

// PeerStopped reports whether the peer receives nothing more.
func (c *Channel) PeerStopped() bool { return c.out.peerStopped }

// Sent returns how many messages are in the outbox or have left it, as a whole.
func (c *Channel) Sent() uint64 { return c.out.sent }

// Acked returns how many of them the peer's session has received.
func (c *Channel) Acked() uint64 { return c.out.acked }

// Voided returns how many of them were dropped on their way.
func (c *Channel) Voided() uint64 { return c.out.voided }

// Written returns how many messages have their last frame in the outbox or have left it. Unlike Sent it counts messages that
// were cancelled half-way.
func (c *Channel) Written() uint64 { return c.out.fins }

// Settled returns how many of these frames the peer has received: each such message has arrived or was dropped.
func (c *Channel) Settled() uint64 { return c.out.finsAcked }

// Received returns how many messages have been received as a whole.
func (c *Channel) Received() uint64 { return c.in.received }

// Buffered returns the cost of the messages that were not taken yet, including a partial one.
func (c *Channel) Buffered() int { return c.in.used + c.in.partialCost }

// Window returns the size of the receive window.
func (c *Channel) Window() int { return c.in.window }

// SetClass sets the class of later messages.
func (c *Channel) SetClass(k Class) { c.out.class = k }

// Open opens a channel with c, which must be new. meta may be nil. ok is false if there is no free number, or the peer does
// not acknowledge the ends of earlier channels.
func (s *Session) Open(c *Channel, name string, meta []byte, atMostOnce bool) (ok bool) {
	if s.endedFull() {
		return false
	}
	number, ok := s.nextNumber()
	if !ok {
		return false
	}
	c.name, c.number, c.opened, c.atMostOnce = name, number, true, atMostOnce
	s.addChannel(c, number)
	before := s.out.end
	s.write(muxframe.AppendOpen(s.tail(muxframe.MaxControl+len(name)+len(meta)), number, name, meta))
	s.opens += uint32(s.out.end - before)
	return true
}

// channels are the channels of a session, and what it keeps only while it has some.
type channels struct {
	names     map[string]*Channel
	numbers   map[uint32]*Channel // open channels, by our number and by the peer's
	outgoing  map[uint32]*Channel // by the number this side sends under, until the peer has acknowledged the end
	lastAcked *Channel            // cache: the channel of outgoing that was looked up last

	sched        scheduler
	starving     lane   // channels whose first Send waits for the session's window
	waitingSends int    // number of waiting Sends
	grantable    lane   // channels whose current message may be given a GRANT
	awaited      lane   // those of them for whose message a reader waits
	granted      int64  // what is left of all GRANTs
	extra        int    // how much the windows of channels have grown in all
	partials     int32  // how many messages are incomplete now
	opens        uint32 // bytes of OPEN frames in the outbox
}

// noChannels are the channels of all sessions that have none. They are looked at and never changed: what changes them has a
// channel.
var noChannels channels

// trimChannels replaces channels by noChannels if there are none, and nothing of them is in the outbox.
func (s *Session) trimChannels() {
	if len(s.names)+len(s.numbers)+len(s.outgoing) == 0 && s.out.kept() == 0 {
		s.channels = &noChannels
	}
}

// addChannel adds c to the session under the given number.
func (s *Session) addChannel(c *Channel, number uint32) {
	if s.channels == &noChannels {
		s.channels = &channels{names: map[string]*Channel{}, numbers: map[uint32]*Channel{}, outgoing: map[uint32]*Channel{}}
	}
	c.out.credit = int(s.cfg.Theirs.Window)
	c.in.window = int(s.cfg.Ours.Window)
	c.in.credit = c.in.window
	c.out.reserve, c.in.reserve = int32(s.cfg.Theirs.Reserve), int32(s.cfg.Ours.Reserve)
	s.names[c.name], s.numbers[number], s.outgoing[number] = c, c, c
}

// maxEnded is how many channels that are over are remembered until the peer has acknowledged their end. With a conforming
// peer the number stays far below this.
const maxEnded = 16 << 10

// endedFull reports whether that many are remembered, so that no further channel is to be opened.
func (s *Session) endedFull() bool { return len(s.outgoing)-len(s.names) >= maxEnded }

// used reports whether a message has been sent in the channel, in either direction.
func (c *Channel) used() bool { return c.in.messages > 0 || c.out.sent > 0 }

// Named returns the channel with the given name, nil if there is none.
func (s *Session) Named(name string) *Channel { return s.names[name] }

// Channels returns the number of channels.
func (s *Session) Channels() int { return len(s.names) }

// Each calls f for each channel.
func (s *Session) Each(f func(c *Channel)) {
	for _, c := range s.names {
		f(c)
	}
}

// nextNumber returns a number for a channel of this side: odd for the dialler, even for the listener. Numbers are used one
// after the other. After the last one they are reused, except those still in use; by then the peer knows that the channel
// before is over.
func (s *Session) nextNumber() (uint32, bool) {
	last := s.cfg.LastNumber
	if last == 0 {
		last = muxframe.MaxChannel - 1
	}
	for range last {
		n := s.lastOurs + 2
		if s.lastOurs == 0 {
			n = s.firstNumber()
		}
		if n > last {
			n, s.oursWrapped = s.firstNumber(), true
		}
		s.lastOurs = n
		if s.numbers[n] == nil && s.outgoing[n] == nil {
			return n, true
		}
	}
	return 0, false
}

// firstNumber returns the first number of this side.
func (s *Session) firstNumber() uint32 {
	if s.cfg.Dialler {
		return 1
	}
	return 2
}

// isOurs reports whether n is one of this side's numbers.
func (s *Session) isOurs(n uint32) bool { return n%2 == s.firstNumber()%2 }

// wasUsed reports whether a channel has had the number n. After numbers have wrapped around, it returns true for all.
func (s *Session) wasUsed(n uint32) bool {
	if s.isOurs(n) {
		return s.oursWrapped || n <= s.lastOurs && s.lastOurs != 0 && n >= s.firstNumber()
	}
	return s.theirsWrapped || n <= s.lastTheirs
}

// finishChannel removes c if both of its halves have ended. If both sides have opened it, the peer may have reset it before it
// received our OPEN, which then opens another channel there, and our END ends only half of that: a RESET ends the rest.
func (s *Session) finishChannel(c *Channel) {
	if c.over || !(c.out.ended && c.in.ended) {
		return
	}
	if c.theirs != 0 && c.theirs != c.number {
		s.writeReset(c.number, 0)
	}
	s.budget.allowLate()
	s.removeChannel(c)
}

// forgetOutgoing removes c from outgoing: no frame of c needs to be acknowledged any more.
func (s *Session) forgetOutgoing(c *Channel) {
	delete(s.outgoing, c.number)
	if s.lastAcked == c {
		s.lastAcked = nil
	}
}

// removeChannel removes c from the session. Messages in its inbox can still be taken.
func (s *Session) removeChannel(c *Channel) {
	c.over = true
	if s.names[c.name] == c {
		delete(s.names, c.name)
	}
	for _, n := range [...]uint32{c.number, c.theirs} {
		if s.numbers[n] == c {
			delete(s.numbers, n)
		}
	}
	if c.out.endAcked {
		s.forgetOutgoing(c)
	}
	s.abandonPartial(c)
	s.budget.allowLateReserve(c.in.reserve)
	s.extra -= c.in.window - int(s.cfg.Ours.Window)
	c.in.window = int(s.cfg.Ours.Window)
	if s.cfg.Watcher.Over(c) {
		s.dropInbox(c)
	}
	s.creditSession()
	s.cfg.Watcher.Readable(c)
	s.cfg.Watcher.Acked(c)
}
