package muxsession

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// Session is one side of a session.
type Session struct {
	cfg       Config
	*channels // noChannels while there are none
	out       outbox
	credit    int // what the peer's session window has left
	reader    muxframe.Reader

	lastOurs, lastTheirs       uint32 // the numbers that were used last
	oursWrapped, theirsWrapped bool
	goingAway                  bool // GOAWAY was sent, or follows the waiting Sends
	goawaySent                 bool // GOAWAY is in the outbox
	goawayReceived             bool // the peer has sent GOAWAY
	ended                      bool

	received uint64 // bytes of frames
	window   window // for all that is received
	link     link
	budget   budget
	stats    Stats
}

// Stats are the counters of a session.
type Stats struct {
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Resent                   uint64 // bytes of frames
}

// New returns a new session without a connection.
func New(cfg Config) *Session {
	s := &Session{cfg: cfg, channels: &noChannels}
	s.credit = int(cfg.Theirs.Session)
	s.window.credit = s.windowSize()
	return s
}

// Stats returns the counters.
func (s *Session) Stats() Stats { return s.stats }

// Dialler returns Config.Dialler.
func (s *Session) Dialler() bool { return s.cfg.Dialler }

// Kept returns how many bytes are in the outbox.
func (s *Session) Kept() int { return s.out.kept() }

// Buffered returns the cost of all that was received and not taken.
func (s *Session) Buffered() int { return s.window.used + s.window.reserved + s.window.exempt }

// MaxMessage returns the maximum size of a message that this side may send.
func (s *Session) MaxMessage() int {
	if s.cfg.Theirs.MaxMessage == 0 {
		return math.MaxInt
	}
	return int(s.cfg.Theirs.MaxMessage)
}

// windowSize returns the size of the session's receive window.
func (s *Session) windowSize() int { return int(s.cfg.Ours.Session) }

// tail returns the end of the outbox, to which a frame of at most size bytes is to be appended. The result goes to write.
func (s *Session) tail(size int) []byte { return s.out.room(s.cfg.Memory, size).b }

// write puts the frame that was appended to tail into the outbox. Frames other than DATA are written whatever the limit is:
// they are small and few for each frame of the peer. Receive ends the session if a peer acknowledges none of them.
func (s *Session) write(tail []byte) { s.out.wrote(tail) }

// Unacked calls f for each channel with messages that are not acknowledged.
func (s *Session) Unacked(f func(name string, messages uint64)) {
	for _, c := range s.outgoing {
		if n := c.out.sent - c.out.acked - c.out.voided; n > 0 {
			f(c.name, n)
		}
	}
}

// Terminate ends the session. Waiting Sends fail with err, and memory is released except for messages that were not taken
// yet. Afterwards only methods that return state, and those that take messages, may be called.
func (s *Session) Terminate(err error) {
	if s.ended {
		return
	}
	s.ended = true
	for _, c := range s.names {
		s.failSends(c, err)
		c.over = true
		s.abandonPartial(c)
		_ = s.cfg.Watcher.Over(c)
		s.cfg.Watcher.Readable(c)
	}
	for _, c := range s.outgoing {
		s.cfg.Watcher.Acked(c)
	}
	s.out.clear(s.cfg.Memory)
}

// Ended reports whether Terminate was called.
func (s *Session) Ended() bool { return s.ended }
