package h2

import (
	"math"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// conn is a connection of a slot, and its netconn.Protocol. The slot's lock guards it.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► counts
//	what is due ─► HEADERS, DATA ─► AppendOutput ─► the connection's output, which asks when there is room
//
// Frames are encoded only in AppendOutput, which never runs twice at a time. So header blocks leave in the order in
// which they were encoded, as HPACK requires.
type conn struct {
	slot      *drive.Slot
	net       *netconn.Conn
	requests  *requests
	wire      *http2.Conn
	exchanges []exchange
	free      *exchange
	used      int    // exchanges in flight
	lastInput int64  // time of the last input
	goingAway bool   // no new streams are opened
	graceful  bool   // GOAWAY with NO_ERROR: requests that the server did not process are repeated on another connection
	retryFrom uint32 // first of those streams; 0: none
	badInput  bool   // the server broke a rule, and we end the connection
	timedOut  bool   // nothing has arrived for too long, and we end the connection
	over      bool   // the connection has ended
}

// requests are the requests of a run.
type requests struct {
	sections [][]http2.Field // by turn
	body     []byte
}

// exchange is a request on a stream and its response. Times are nanoseconds since the beginning of the run.
type exchange struct {
	stream *http2.Stream // nil: not in use
	times  drive.Group
	begun  int64  // when the first head arrived; 0: not yet
	length int64  // bytes of the response body so far
	rest   []byte // rest of the request body
	status int
	turn   int
	next   *exchange // next in the free list
}

// none turns a limit of http2 off.
const none = -1

// config is the configuration of the client side. Its windows never delay a server, because input is only counted and
// dropped. Timeouts are the run's, and misbehaviour of the server is reported but tolerated.
var config = &http2.Config{
	InitialWindow: math.MaxInt32 / 2, MaxWindow: math.MaxInt32 / 2, MaxConnWindow: math.MaxInt32 / 2,
	MaxHeaderList: 1 << 20, MaxFields: 10_000, Budget: 1 << 30, SettingsTimeout: none, StallTimeout: none,
}

func newConn(s *drive.Slot, nc *netconn.Conn, r *requests, depth int) *conn {
	now := s.Now()
	c := &conn{slot: s, net: nc, requests: r, wire: http2.NewClient(config, now), lastInput: now}
	c.exchanges = make([]exchange, depth)
	for i := range c.exchanges {
		c.exchanges[i].next, c.free = c.free, &c.exchanges[i]
	}
	return c
}
