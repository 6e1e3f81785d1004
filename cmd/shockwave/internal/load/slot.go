package load

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// slot is the place of one connection in the run, and the Protocol of the connection that currently has it. The shard's
// lock guards it, except for response and replies, which belong to the connection's goroutine. Fields used for every
// response come first.
//
//	queued ─► opening ─► open ─► ended ─┐
//	  ▲  ▲                 │            │ orderly: at once
//	  │  └── failed        └── over     │ with an error: after a pause
//	  └─────────────────────────────────┘
type slot struct {
	run        *run
	shard      *shard
	index      int
	conn       *netconn.Conn // nil if there is none
	next       int64         // with a rate: number of the next request in the slot's schedule
	flight     flight
	cause      endCause // why we end the connection
	useful     bool     // a response arrived on the connection
	response   responseReader
	replies    replyReader // for messages, instead of response
	streams    *streams    // over HTTP/2, instead of flight and response
	h3         *h3Conn     // over HTTP/3, instead of conn
	turn       int         // index of the request to send next
	nextAnswer int         // index of the request that is answered next, over HTTP
	begun      int64       // when the first byte of the current response arrived; 0: not yet

	sentEnd   bool // one way: our direction has ended or is about to
	peerEnded bool // the server has sent a close frame

	writing bool // a writer is running
	toWrite int  // requests in flight that the writer still has to write

	failingSince int64         // time of the first failed attempt since the last successful one; 0: none
	everOpen     bool          // the slot had a connection
	givenUp      bool          // the slot was given up for now
	pause        time.Duration // before the next attempt
}

// endCause says why we, and not the server, end a connection.
type endCause uint8

const (
	noCause    endCause = iota
	lastAnswer          // the server announced that it closes
	badInput            // the input is not a valid response
	windowLost          // messages after a wrong echo cannot be decompressed
	timedOut
)

// errOver ends a connection that starts when the run is over.
var errOver = errors.New("load: the run is over")

// attach starts using c as the slot's connection and sends the first requests.
func (s *slot) attach(c *netconn.Conn) error {
	s.shard.mu.Lock()
	if s.shard.over || s.shard.ending {
		s.shard.mu.Unlock()
		return errOver
	}
	s.conn = c
	s.response.restart()
	if s.replies != nil {
		s.replies.restart()
		s.turn = 0 // the compression window is empty again
	}
	s.nextAnswer, s.begun = s.turn, 0
	s.cause, s.useful, s.writing, s.toWrite = noCause, false, false, 0
	s.sentEnd, s.peerEnded = false, false
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

// Data implements netconn.Protocol. It reads responses and sends new requests in their place.
func (s *slot) Data(c *netconn.Conn, in []byte) (int, error) {
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

// read processes all responses in in. An error says how the connection is to end.
func (s *slot) read(in []byte, now int64) (taken int, err error) {
	if s.replies != nil {
		if taken, err = s.replies.read(s, in, now); err == nil && (taken < len(in) || s.replies.midMessage()) {
			s.begin(now)
		}
		return taken, err
	}
	for s.flight.total > 0 {
		had := len(in) - taken
		n, whole, err := s.response.read(in[taken:], s.run.req.method, &s.shard.known)
		taken += n
		if err != nil {
			s.cause = badInput
			return taken, netconn.ErrAbort
		}
		if !whole {
			if had > 0 {
				s.begin(now)
			}
			return taken, nil
		}
		if last := s.answered(now); last {
			return len(in), s.closedByServer()
		}
	}
	if taken < len(in) {
		s.cause = badInput // a response without a request
		return taken, netconn.ErrAbort
	}
	return taken, nil
}

// answered counts a complete response. It reports whether the connection ends with it.
func (s *slot) answered(now int64) (last bool) {
	a, t := &s.response, s.shard.now
	t.statuses[a.status]++
	var like *sameCheck
	if s.run.sameChecks != nil {
		like = &s.run.sameChecks[s.nextAnswer]
	}
	s.settle(now, like.wrong(a.status, a.length, &t.errors))
	return !a.keepAlive || s.run.req.closes
}

// begin records that the response to the oldest request in flight has begun to arrive and is not complete.
func (s *slot) begin(now int64) {
	if s.begun == 0 && s.flight.total > 0 {
		s.begun = now
	}
}

// settle counts the oldest request in flight, whose response is complete. wrong is the counter of the error that it
// has, or nil.
func (s *slot) settle(now int64, wrong *int64) {
	s.count(*s.flight.oldest(), s.begun, s.nextAnswer, now, wrong)
	s.begun = 0
	if s.shard.now.targets != nil {
		s.nextAnswer = s.run.req.turns.after(s.nextAnswer, 1)
	}
	s.flight.pop()
}

// count counts a request with a complete response. d has its times, turn its index. begun is when the response began to
// arrive, or 0 if it arrived in one piece. wrong is the counter of the error that it has, or nil.
func (s *slot) count(d sendGroup, begun int64, turn int, now int64, wrong *int64) {
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
		s.useful, right = true, true
	}
	if t.targets != nil {
		t.targets[turn].record(now-d.due, right)
	}
	s.shard.inFlight--
	s.run.quota.settle(1)
}
