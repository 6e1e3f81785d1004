package muxsession

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/muxframe"
)

// Session is one side of a session.
type Session struct {
	cfg     Config
	out     outbox
	turn    turn
	credit  int // that the peer's session window has left
	reader  muxframe.Reader
	scratch []byte

	names    map[string]*Channel
	numbers  map[uint32]*Channel // live channels, by our number and by the peer's
	outgoing map[uint32]*Channel // by what we send under, until the peer has acknowledged the end
	last     *Channel            // of outgoing, that was acknowledged last

	ours, theirs           uint32 // the numbers that were used last
	wrapped, theirsWrapped bool

	received  uint64 // bytes of frames that were taken
	window    window // of what was received
	link      link
	parts     uint64   // messages that have begun to come in pieces
	gathering int      // of them that are not whole
	granted   *Channel // by us
	exempted  *Channel // by the peer
	waiting   int      // Sends
	budget    budget
	stats     Stats
	goingAway bool // GOAWAY is to be written behind what waits
	gone      bool // it has been
	peerGone  bool // the peer's has come
	ended     bool
}

// Stats are a session's counters.
type Stats struct {
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Resent                   uint64 // bytes of frames
}

// New returns a session at its beginning, without a connection.
func New(cfg Config) *Session {
	s := &Session{cfg: cfg}
	s.out.mem = cfg.Memory
	s.credit = int(cfg.Theirs.Session)
	s.window = window{size: int(cfg.Ours.Session), credit: int(cfg.Ours.Session)}
	return s
}

// Stats returns the counters.
func (s *Session) Stats() Stats { return s.stats }

// Kept returns how many bytes are kept to be sent, or sent again.
func (s *Session) Kept() int { return s.out.kept() }

// Buffered returns what counts as received and not taken.
func (s *Session) Buffered() int { return s.window.used + s.window.exempt }

// MaxMessage returns the most bytes that a message of ours may have.
func (s *Session) MaxMessage() int {
	if s.cfg.Theirs.MaxMessage == 0 {
		return math.MaxInt
	}
	return int(s.cfg.Theirs.MaxMessage)
}

// write puts a frame that is not DATA into the outbox. Those are small, and are written whatever is kept: there are few for
// each frame of the peer's. A peer that acknowledges none of them is cut off by the bound in Receive.
func (s *Session) write(frame []byte) {
	c := s.out.room(len(frame))
	s.out.wrote(c, append(c.b, frame...))
	s.scratch = frame[:0]
}

// Unacked calls f for each channel of which messages are not acknowledged.
func (s *Session) Unacked(f func(name string, messages uint64)) {
	for _, c := range s.outgoing {
		if n := c.out.sent - c.out.acked - c.out.voided; n > 0 {
			f(c.name, n)
		}
	}
}

// Leave is called when the session is over: everything that waits fails with err, and all memory but that of messages which
// have not been taken is given back. The session may only be asked afterwards.
func (s *Session) Leave(err error) {
	if s.ended {
		return
	}
	s.ended = true
	for _, c := range s.names {
		s.failSends(c, err)
		c.over = true
		s.dropPart(c)
		_ = s.cfg.Watcher.Over(c)
		s.cfg.Watcher.Readable(c)
	}
	for _, c := range s.outgoing {
		s.cfg.Watcher.Acked(c)
	}
	s.out.clear()
}

// Ended reports whether Leave was called.
func (s *Session) Ended() bool { return s.ended }
