package load

import (
	"math"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// streams runs HTTP/2 on a slot's connection. It replaces the slot's flight and response. The shard's lock guards it.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► counts
//	what is due ─► HEADERS, DATA ─► AppendOutput ─► the connection's output, which asks when there is room
//
// Frames are encoded only in AppendOutput, which never runs twice at a time. So header blocks leave in the order in
// which they were encoded, as HPACK requires.
type streams struct {
	slot      *slot
	conn      *netconn.Conn
	wire      *http2.Conn
	exchanges []exchange
	free      *exchange
	used      int    // exchanges in flight
	lastInput int64  // time of the last input
	goingAway bool   // no new streams are opened
	graceful  bool   // GOAWAY with NO_ERROR: requests that the server did not process are repeated on another connection
	retryFrom uint32 // first of those streams; 0: none
	over      bool   // the connection has ended
}

// exchange is a request on a stream and its response. Times are nanoseconds since the beginning of the run.
type exchange struct {
	stream *http2.Stream // nil: not in use
	due    int64         // when it should have been sent
	sent   int64         // when it was sent
	begun  int64         // when the first head arrived; 0: not yet
	length int64         // bytes of the response body so far
	rest   []byte        // rest of the request body
	status int
	turn   int
	next   *exchange // next in the free list
}

// h2Config is the configuration of the client side. Its windows never delay a server, because input is only counted and
// dropped. Timeouts are kept by watch, and misbehaviour of the server is reported but tolerated.
var h2Config = &http2.Config{
	InitialWindow: math.MaxInt32 / 2, MaxWindow: math.MaxInt32 / 2, MaxConnWindow: math.MaxInt32 / 2,
	MaxHeaderList: 1 << 20, MaxFields: 10_000, Budget: 1 << 30, SettingsTimeout: none, StallTimeout: none,
}

// newStreams starts HTTP/2 on a slot's connection.
func newStreams(s *slot, c *netconn.Conn, now int64) *streams {
	t := &streams{slot: s, conn: c, wire: http2.NewClient(h2Config, now), lastInput: now}
	t.exchanges = make([]exchange, s.run.depth)
	for i := range t.exchanges {
		t.exchanges[i].next, t.free = t.free, &t.exchanges[i]
	}
	return t
}

// data is Data of the slot.
func (t *streams) data(c *netconn.Conn, in []byte) (int, error) {
	s := t.slot
	now := s.run.now()
	s.shard.mu.Lock()
	if s.shard.over {
		s.shard.mu.Unlock()
		return len(in), netconn.ErrAbort
	}
	taken, err := t.take(in, now)
	s.shard.mu.Unlock()
	c.Draw(t) // new requests and control frames leave in one write after Data
	return taken, err
}

// take processes all of in. An error says how the connection is to end.
func (t *streams) take(in []byte, now int64) (taken int, err error) {
	t.lastInput = now
	for {
		ev, n, err := t.wire.Next(in[taken:], now)
		taken += n
		switch {
		case err != nil:
			t.slot.cause = badInput
			t.slot.shard.now.streams.fault(err)
			return taken, netconn.ErrDoneEarly
		case ev.Kind == http2.EventNone:
			return taken, t.endWhenIdle()
		}
		t.event(&ev, now)
	}
}

// endWhenIdle returns netconn.ErrDone, which ends the connection, once no streams may be opened and none are in flight.
func (t *streams) endWhenIdle() error {
	if !t.goingAway || t.used > 0 {
		return nil
	}
	if t.slot.useful {
		t.slot.cause = lastAnswer
	}
	return netconn.ErrDone
}
