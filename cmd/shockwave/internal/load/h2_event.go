package load

import "github.com/shockwave-go/shockwave/http2"

// event handles an event of the connection.
func (t *streams) event(ev *http2.Event, now int64) {
	var x *exchange
	if ev.Stream != nil {
		x, _ = ev.Stream.Owner.(*exchange)
	}
	switch ev.Kind {
	case http2.EventSettings:
		t.slot.shard.now.streams.grant(t.wire.PeerSettings().MaxStreams)
	case http2.EventGoAway:
		t.goAway(ev)
	case http2.EventInformational:
		x.begin(now)
	case http2.EventHeaders:
		x.begin(now)
		x.status = ev.Head.Status
		t.answeredIf(ev.EndStream, x, now)
	case http2.EventData:
		x.length += int64(len(ev.Data))
		t.wire.Consumed(ev.Stream, len(ev.Data), now)
		t.answeredIf(ev.EndStream, x, now)
	case http2.EventTrailers:
		t.answeredIf(true, x, now)
	case http2.EventReset:
		t.reset(ev, x)
	}
}

// begin records when the response began to arrive.
func (x *exchange) begin(now int64) {
	if x.begun == 0 {
		x.begun = now
	}
}

// answeredIf counts a response if it is complete.
func (t *streams) answeredIf(whole bool, x *exchange, now int64) {
	if !whole {
		return
	}
	s, tally := t.slot, t.slot.shard.now
	tally.statuses[x.status]++
	var like *sameCheck
	if s.run.sameChecks != nil {
		like = &s.run.sameChecks[x.turn]
	}
	if x.begun == now {
		x.begun = 0 // the response arrived in one piece
	}
	wrong := like.wrong(x.status, x.length, &tally.errors)
	s.count(sendGroup{due: x.due, sent: x.sent}, x.begun, x.turn, now, wrong)
	t.release(x)
}

// release frees the exchange of a request that is done.
func (t *streams) release(x *exchange) {
	t.wire.Release(x.stream)
	*x = exchange{next: t.free}
	t.free = x
	t.used--
}

// goAway handles a GOAWAY: no more streams are opened (RFC 9113 §6.8). For each of our streams that the server does not
// process, an EventReset follows.
func (t *streams) goAway(ev *http2.Event) {
	t.goingAway = true
	t.graceful = ev.Code == http2.ErrCodeNo
	t.slot.shard.now.streams.goAway(ev.Code.String(), ev.Data)
}

// reset handles a stream that ended early.
func (t *streams) reset(ev *http2.Event, x *exchange) {
	errors := &t.slot.shard.now.errors
	switch leftOut := ev.Err != nil && ev.Code == http2.ErrCodeRefusedStream; {
	case leftOut && t.graceful:
		t.giveBack(x)
	case leftOut:
		t.fail(x, &errors.Closed)
	case ev.Err != nil:
		t.slot.shard.now.streams.fault(ev.Err)
		t.fail(x, &errors.Protocol)
	default:
		t.slot.shard.now.streams.reset(ev.Code.String())
		t.fail(x, &errors.Reset)
	}
}

// giveBack treats a request as not sent, because the server has not processed it (RFC 9113 §6.8). It and all later
// requests will be sent again.
func (t *streams) giveBack(x *exchange) {
	s := t.slot
	if id := x.stream.ID(); t.retryFrom == 0 || id < t.retryFrom {
		t.retryFrom, s.turn = id, x.turn
	}
	s.next--
	s.shard.inFlight--
	s.run.quota.giveBack(1)
	t.release(x)
}

// fail counts a request as an error.
func (t *streams) fail(x *exchange, kind *int64) {
	s := t.slot
	*kind++
	if targets := s.shard.now.targets; targets != nil {
		targets[x.turn].Errors++
	}
	s.shard.inFlight--
	s.run.quota.settle(1)
	t.release(x)
}
