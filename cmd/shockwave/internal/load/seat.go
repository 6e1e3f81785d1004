package load

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// seat is a connection's place in the run, and the protocol of the connection that has it. All of it is under the
// shard's lock, except for answer and replies, which are the connection's goroutine's. What every answer touches stands together.
//
//	queued ─► opening ─► open ─► ended ─┐
//	  ▲  ▲                 │            │ in good order: at once
//	  │  └── failed        └── over     │ with an error: after a pause
//	  └─────────────────────────────────┘
type seat struct {
	run     *run
	shard   *shard
	index   int
	conn    *netconn.Conn // nil while there is none
	next    int64         // with a rate: the seat's moment that is next, counted from 0
	flight  flight
	cause   cause // why we end the connection
	good    bool  // the connection has brought an answer
	answer  answer
	replies replies  // of messages, instead of answer
	streams *streams // over HTTP/2, instead of flight and answer
	turn    int      // which request is sent next
	heard   int      // which is answered next, over HTTP
	begun   int64    // when the first byte came of the answer in hand; 0: none has

	saidEnd  bool // one way: our half has ended, or is about to
	heardEnd bool // the server has sent a close frame

	writing bool // a writer is at work
	toWrite int  // requests that are in flight and left to it

	failingSince int64         // the first failed attempt to open a connection since the last one that worked; 0: none
	everOpen     bool          // it had a connection, or
	givenUp      bool          // it was not to be had
	pause        time.Duration // before the next attempt
}

// cause says why we, and not the server, end a connection.
type cause uint8

const (
	noCause    cause = iota
	lastAnswer       // the server said that it closes
	nonsense         // what came is no answer
	lost             // what follows a wrong echo cannot be read
	tooLate
)

// errOver ends a connection that comes when the run is over.
var errOver = errors.New("load: the run is over")

// attach gives the seat its connection and sends the first requests.
func (s *seat) attach(c *netconn.Conn) error {
	s.shard.mu.Lock()
	if s.shard.over || s.shard.ending {
		s.shard.mu.Unlock()
		return errOver
	}
	s.conn = c
	s.answer.restart()
	if s.replies != nil {
		s.replies.restart()
		s.turn = 0 // a compressor's window begins anew
	}
	s.heard, s.begun = s.turn, 0
	s.cause, s.good, s.writing, s.toWrite = noCause, false, false, 0
	s.saidEnd, s.heardEnd = false, false
	s.failingSince = 0
	now := s.run.now()
	var requests []byte
	if s.run.cfg.HTTP2 {
		s.streams = newStreams(s, c, now)
	} else {
		requests = s.pump(now)
	}
	s.shard.mu.Unlock()
	s.run.open.Add(1)
	s.run.outages.end(now)
	if s.streams != nil {
		c.Draw(s.streams)
		return nil
	}
	return s.write(c, requests)
}

// Data reads answers and sends as many new requests.
func (s *seat) Data(c *netconn.Conn, in []byte) (int, error) {
	if s.streams != nil {
		return s.streams.data(c, in)
	}
	now := s.run.now()
	s.shard.mu.Lock()
	if s.shard.over {
		s.shard.mu.Unlock()
		return len(in), netconn.ErrAbort
	}
	taken, err := s.read(in, now)
	var requests []byte
	if err == nil {
		requests = s.pump(now)
	}
	s.shard.mu.Unlock()
	if requests != nil {
		err = s.write(c, requests)
	}
	return taken, err
}

// read takes all answers in in. An error says how the connection is to end.
func (s *seat) read(in []byte, now int64) (taken int, err error) {
	if s.replies != nil {
		if taken, err = s.replies.read(s, in, now); err == nil && (taken < len(in) || s.replies.amid()) {
			s.begin(now)
		}
		return taken, err
	}
	for s.flight.total > 0 {
		had := len(in) - taken
		n, whole, err := s.answer.read(in[taken:], s.run.req.method, &s.shard.known)
		taken += n
		if err != nil {
			s.cause = nonsense
			return taken, netconn.ErrAbort
		}
		if !whole {
			if had > 0 {
				s.begin(now)
			}
			return taken, nil
		}
		if last := s.answered(now); last {
			return len(in), s.goodbye()
		}
	}
	if taken < len(in) {
		s.cause = nonsense // an answer that nobody asked for
		return taken, netconn.ErrAbort
	}
	return taken, nil
}

// answered accounts for a whole answer and reports whether the connection ends with it.
func (s *seat) answered(now int64) (last bool) {
	a, t := &s.answer, s.shard.now
	t.statuses[a.status]++
	var like *likeness
	if s.run.likeness != nil {
		like = &s.run.likeness[s.heard]
	}
	s.settle(now, like.wrong(a.status, a.length, &t.errors))
	return !a.keepAlive || s.run.req.closes
}

// begin notes that the answer to the oldest request in flight has begun to come, and is not whole.
func (s *seat) begin(now int64) {
	if s.begun == 0 && s.flight.total > 0 {
		s.begun = now
	}
}

// settle accounts for the oldest request in flight, whose answer is whole. wrong counts answers like it; nil if nothing
// is wrong with it.
func (s *seat) settle(now int64, wrong *int64) {
	s.count(*s.flight.oldest(), s.begun, s.heard, now, wrong)
	s.begun = 0
	if s.shard.now.targets != nil {
		s.heard = s.run.req.turns.after(s.heard, 1)
	}
	s.flight.pop()
}

// count accounts for a request that left as d says, in its turn, and whose answer is whole; begun is when that began to
// come, 0 if it came at once.
func (s *seat) count(d departure, begun int64, turn int, now int64, wrong *int64) {
	t := s.shard.now
	s.shard.record(now - d.due)
	if begun != 0 {
		t.recordSplit(begun-d.due, now-d.due)
	}
	right := false
	switch {
	case now-d.sent > int64(s.run.cfg.Timeout):
		t.errors.Timeout++
	case wrong != nil:
		*wrong++
	default:
		t.requests++
		s.good, right = true, true
	}
	if t.targets != nil {
		t.targets[turn].note(now-d.due, right)
	}
	s.shard.inFlight--
	s.run.quota.settle(1)
}
