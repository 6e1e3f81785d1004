package h2

import "github.com/shockwave-go/shockwave/http2"

// event handles an event of the connection.
func (c *conn) event(ev *http2.Event, now int64) {
	var x *exchange
	if ev.Stream != nil {
		x, _ = ev.Stream.Owner.(*exchange)
	}
	switch ev.Kind {
	case http2.EventSettings:
		c.slot.Tally().Streams.Grant(c.wire.PeerSettings().MaxStreams)
	case http2.EventGoAway:
		c.goAway(ev)
	case http2.EventInformational:
		x.begin(now)
	case http2.EventHeaders:
		x.begin(now)
		x.status = ev.Head.Status
		c.answeredIf(ev.EndStream, x, now)
	case http2.EventData:
		x.length += int64(len(ev.Data))
		c.wire.Consumed(ev.Stream, len(ev.Data), now)
		c.answeredIf(ev.EndStream, x, now)
	case http2.EventTrailers:
		c.answeredIf(true, x, now)
	case http2.EventReset:
		c.reset(ev, x)
	}
}

// begin records when the response began to arrive.
func (x *exchange) begin(now int64) {
	if x.begun == 0 {
		x.begun = now
	}
}

// answeredIf counts a response if it is complete.
func (c *conn) answeredIf(whole bool, x *exchange, now int64) {
	if !whole {
		return
	}
	if x.begun == now {
		x.begun = 0 // the response arrived in one piece
	}
	c.slot.Answered(x.times, x.begun, x.turn, now, c.slot.Judge(x.status, x.length, x.turn))
	c.release(x)
}

// release frees the exchange of a request that is done.
func (c *conn) release(x *exchange) {
	c.wire.Release(x.stream)
	*x = exchange{next: c.free}
	c.free = x
	c.used--
}

// goAway handles a GOAWAY: no more streams are opened (RFC 9113 §6.8). For each of our streams that the server does not
// process, an EventReset follows.
func (c *conn) goAway(ev *http2.Event) {
	c.goingAway = true
	c.graceful = ev.Code == http2.ErrCodeNo
	words := ev.Data
	if c.graceful {
		words = nil
	}
	c.slot.Tally().Streams.GoAway(ev.Code.String(), words)
}

// reset handles a stream that ended early.
func (c *conn) reset(ev *http2.Event, x *exchange) {
	errors := &c.slot.Tally().Errors
	switch leftOut := ev.Err != nil && ev.Code == http2.ErrCodeRefusedStream; {
	case leftOut && c.graceful:
		c.giveBack(x)
	case leftOut:
		c.fail(x, &errors.Closed)
	case ev.Err != nil:
		c.slot.Tally().Streams.NoteFault(ev.Err)
		c.fail(x, &errors.Protocol)
	default:
		c.slot.Tally().Streams.Reset(ev.Code.String())
		c.fail(x, &errors.Reset)
	}
}

// giveBack treats a request as not sent, because the server has not processed it (RFC 9113 §6.8). It and all later
// requests will be sent again.
func (c *conn) giveBack(x *exchange) {
	turn := c.slot.Turn()
	if id := x.stream.ID(); c.retryFrom == 0 || id < c.retryFrom {
		c.retryFrom, turn = id, x.turn
	}
	c.slot.GiveBack(1, turn)
	c.release(x)
}

// fail counts a request as an error.
func (c *conn) fail(x *exchange, kind *int64) {
	c.slot.Fail(kind, x.turn)
	c.release(x)
}
