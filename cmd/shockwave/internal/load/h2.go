package load

import (
	"math"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// streams is HTTP/2 on a connection that has a seat, instead of the seat's flight and answer. All of it is under the
// shard's lock.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► account
//	what is due ─► HEADERS, DATA ─► AppendOutput ─► the connection's output, which asks when there is room
//
// What is encoded is encoded in AppendOutput only, of which one runs at a time: so it leaves in the order in which the
// server decodes it.
type streams struct {
	seat    *seat
	conn    *netconn.Conn
	wire    *http2.Conn
	places  []exchange
	free    *exchange
	used    int    // exchanges in flight
	heardAt int64  // when something came last
	leaving bool   // no more streams are opened
	refused bool   // the server goes away for no error of ours: what it leaves out is sent again elsewhere
	backTo  uint32 // the first stream of those; 0: there are none
	over    bool   // the seat has lost the connection
}

// exchange is a request on a stream, and its answer. Moments are nanoseconds since the run's beginning.
type exchange struct {
	stream *http2.Stream // nil: none, it is free
	due    int64         // when it should have been sent
	sent   int64         // when it was
	begun  int64         // when the head of the answer came; 0: it has not
	length int64         // of the answer's body so far
	rest   []byte        // of our body
	status int
	turn   int
	next   *exchange // that is free
}

// h2Config is what servers are granted: windows that hold nobody back, since what arrives is counted and dropped. The
// time of an answer is watch's, and whatever a server does is borne and told.
var h2Config = &http2.Config{
	InitialWindow: math.MaxInt32 / 2, MaxWindow: math.MaxInt32 / 2, MaxConnWindow: math.MaxInt32 / 2,
	MaxHeaderList: 1 << 20, MaxFields: 10_000, Budget: 1 << 30, SettingsTimeout: none, StallTimeout: none,
}

// newStreams begins HTTP/2 on a seat's connection.
func newStreams(s *seat, c *netconn.Conn, now int64) *streams {
	t := &streams{seat: s, conn: c, wire: http2.NewClient(h2Config, now), heardAt: now}
	t.places = make([]exchange, s.run.depth)
	for i := range t.places {
		t.places[i].next, t.free = t.free, &t.places[i]
	}
	return t
}

// data is the seat's Data.
func (t *streams) data(c *netconn.Conn, in []byte) (int, error) {
	s := t.seat
	now := s.run.now()
	s.shard.mu.Lock()
	if s.shard.over {
		s.shard.mu.Unlock()
		return len(in), netconn.ErrAbort
	}
	taken, err := t.take(in, now)
	s.shard.mu.Unlock()
	c.Draw(t) // new requests and what the wire has to say leave in one write, when Data has returned
	return taken, err
}

// take reads all that is in in. An error says how the connection is to end.
func (t *streams) take(in []byte, now int64) (taken int, err error) {
	t.heardAt = now
	for {
		ev, n, err := t.wire.Next(in[taken:], now)
		taken += n
		switch {
		case err != nil:
			t.seat.cause = nonsense
			t.seat.shard.now.h2.fault(err)
			return taken, netconn.ErrDoneEarly
		case ev.Kind == http2.None:
			return taken, t.last()
		}
		t.event(&ev, now)
	}
}

// last says how a connection ends on which nothing is opened any more and nothing is in flight.
func (t *streams) last() error {
	if !t.leaving || t.used > 0 {
		return nil
	}
	if t.seat.good {
		t.seat.cause = lastAnswer
	}
	return netconn.ErrDone
}
