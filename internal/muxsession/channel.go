package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// Channel is one side of a channel. The zero Channel is given to Open, or returned by Watcher.Announced.
//
//	        we open             both halves have ended, or one side has reset it
//	new ─┬────────► open ──────────────────────────────────────────────► over
//	     └────────►  ▲
//	      the peer   └ with the peer's OPEN of the same name: still one channel
type Channel struct {
	Owner any // the user's

	name   string
	number uint32 // that we send under: our own if we have opened it
	theirs uint32 // that the peer sends under: its own if it has
	opened bool   // we have opened it
	once   bool   // messages that may have been lost are not sent again
	over   bool
	reset  *Reset // it was reset

	out half
	in  receiver
}

// Reset is how a channel was reset.
type Reset struct {
	Code uint32
	Peer bool // by the peer
}

// half is what a channel sends.
type half struct {
	credit int    // that the peer's window has left
	exempt int    // that a GRANT has left for the message in hand
	fins   uint64 // messages whose ends have been written
	sent   uint64 // messages that are whole in the outbox
	acked  uint64
	voided uint64 // messages that were dropped on their way
	first  *Send  // what waits, the first of it perhaps half written
	last   *Send
	next   *Channel // in the turn
	class  Class
	inTurn bool
	tail   bool // a part of a message is in the outbox, and its end is not
	ending Ending
	ended  bool // END or RESET has been written
	known  bool // the peer has acknowledged that
	deaf   bool // the peer takes nothing more
}

// Ending is whether a half is to end behind what waits.
type Ending uint8

// The endings.
const (
	Open    Ending = iota
	Ends           // what waits is sent before
	Stopped        // as well, and nothing more is taken
)

// receiver is what a channel receives.
type receiver struct {
	inbox    inbox
	part     []byte // of a message that is not whole; leased, or a reader's
	dst      []byte // where a reader wants the next message
	lent     bool   // part is what was dst
	partCost int    // what it counts for in the windows
	partVoid bool   // it will not be delivered
	exempt   int    // what of it does not count
	got      bool   // a part has come
	order    uint64 // which message of the session it was when it began
	granted  int    // bytes of a GRANT that are left
	credit   int    // that the peer may still send
	used     int    // by messages that nobody has taken
	window   int    // what credit and used may be together
	messages uint64 // that have ended
	received uint64 // messages that were delivered
	earned   int    // since mark: what was credited
	mark     int64
	ended    bool // the peer has ended its half
	deaf     bool // nobody takes anything
}

// Name returns the channel's name.
func (c *Channel) Name() string { return c.name }

// Opened reports whether this side has opened the channel.
func (c *Channel) Opened() bool { return c.opened }

// Over reports whether the channel is over on this side.
func (c *Channel) Over() bool { return c.over }

// WasReset returns how the channel was reset, nil if it was not.
func (c *Channel) WasReset() *Reset { return c.reset }

// Ended reports whether the peer has ended its half. What it has sent before may not have been taken.
func (c *Channel) Ended() bool { return c.in.ended }

// Deaf reports whether the peer takes nothing more.
func (c *Channel) Deaf() bool { return c.out.deaf }

// Sent returns how many messages have been written whole.
func (c *Channel) Sent() uint64 { return c.out.sent }

// Acked returns how many of them the peer's session holds.
func (c *Channel) Acked() uint64 { return c.out.acked }

// Voided returns how many were dropped on their way.
func (c *Channel) Voided() uint64 { return c.out.voided }

// Received returns how many messages have come whole.
func (c *Channel) Received() uint64 { return c.in.received }

// Buffered returns what those count for that nobody has taken.
func (c *Channel) Buffered() int { return c.in.used + c.in.partCost }

// Window returns how large the receive window is.
func (c *Channel) Window() int { return c.in.window }

// SetClass changes the class of what is sent from now on.
func (c *Channel) SetClass(k Class) { c.out.class = k }

// Open opens a channel with c, which is new. meta may be nil. ok is false when there is no number for it.
func (s *Session) Open(c *Channel, name string, meta []byte, once bool) (ok bool) {
	number, ok := s.nextNumber()
	if !ok {
		return false
	}
	c.name, c.number, c.opened, c.once = name, number, true, once
	s.enter(c, number)
	s.write(muxframe.AppendOpen(s.scratch[:0], number, name, meta))
	return true
}

// enter makes c a channel of the session.
func (s *Session) enter(c *Channel, number uint32) {
	if s.names == nil {
		s.names, s.numbers, s.outgoing = map[string]*Channel{}, map[uint32]*Channel{}, map[uint32]*Channel{}
	}
	c.out.credit = int(s.cfg.Theirs.Window)
	c.in.window = int(s.cfg.Ours.Window)
	c.in.credit = c.in.window
	s.names[c.name], s.numbers[number], s.outgoing[number] = c, c, c
}

// Named returns the channel with a name, nil if there is none.
func (s *Session) Named(name string) *Channel { return s.names[name] }

// Channels returns how many channels there are.
func (s *Session) Channels() int { return len(s.names) }

// Each calls f for each channel.
func (s *Session) Each(f func(c *Channel)) {
	for _, c := range s.names {
		f(c)
	}
}

// nextNumber returns a number for a channel of ours. The dialler's are odd. They are used one after the other, and those
// that went round once are used again where no channel has them: by then the peer knows that the one before is over.
func (s *Session) nextNumber() (uint32, bool) {
	last := s.cfg.LastNumber
	if last == 0 {
		last = muxframe.MaxChannel - 1
	}
	for range last {
		n := s.ours + 2
		if s.ours == 0 {
			n = s.firstNumber()
		}
		if n > last {
			n, s.wrapped = s.firstNumber(), true
		}
		s.ours = n
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

// mine reports whether a number is one of this side's.
func (s *Session) mine(n uint32) bool { return n%2 == s.firstNumber()%2 }

// known reports whether a channel has had the number, as far as can be known.
func (s *Session) known(n uint32) bool {
	if s.mine(n) {
		return s.wrapped || n <= s.ours && s.ours != 0 && n >= s.firstNumber()
	}
	return s.theirsWrapped || n <= s.theirs
}

// finish ends c on this side when both of its halves have ended.
func (s *Session) finish(c *Channel) {
	if c.over || !(c.out.ended && c.in.ended) {
		return
	}
	s.remove(c)
}

// settled says that nothing that c has sent is to be acknowledged any more.
func (s *Session) settled(c *Channel) {
	delete(s.outgoing, c.number)
	if s.last == c {
		s.last = nil
	}
}

// remove takes c out of the session. What is not taken of its messages can still be taken.
func (s *Session) remove(c *Channel) {
	c.over = true
	if s.names[c.name] == c {
		delete(s.names, c.name)
	}
	for _, n := range [...]uint32{c.number, c.theirs} {
		if s.numbers[n] == c {
			delete(s.numbers, n)
		}
	}
	if c.out.known {
		s.settled(c)
	}
	s.dropPart(c)
	s.window.extra -= c.in.window - int(s.cfg.Ours.Window)
	c.in.window = int(s.cfg.Ours.Window)
	if s.cfg.Watcher.Over(c) {
		s.dropInbox(c)
		s.regrant()
	}
	s.cfg.Watcher.Readable(c)
	s.cfg.Watcher.Acked(c)
}
