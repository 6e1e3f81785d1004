package load

// expire counts requests that were sent before the given time as timed out, each one separately: other responses may
// still arrive. It reports true if nothing at all has arrived since one of them was sent; then the connection must end.
func (t *streams) expire(before int64) (dead bool) {
	for i := range t.exchanges {
		x := &t.exchanges[i]
		if x.stream == nil || x.sent >= before {
			continue
		}
		if t.lastInput <= x.sent {
			return true
		}
		t.fail(x, &t.slot.shard.now.errors.Timeout)
	}
	return false
}

// close counts the end of the connection and the requests in flight on it.
func (t *streams) close(now int64) {
	s, tally := t.slot, t.slot.shard.now
	t.over = true
	if s.cause == badInput && t.used == 0 {
		tally.errors.Protocol++
	} else if t.used == 0 && s.cause != timedOut {
		tally.reconnects++
	}
	first := true
	for i := range t.exchanges {
		x := &t.exchanges[i]
		if x.stream == nil {
			continue
		}
		kind := &tally.errors.Closed
		switch {
		case s.cause == badInput && first:
			kind = &tally.errors.Protocol
		case s.cause == timedOut && now-x.sent > int64(s.run.cfg.Timeout):
			kind = &tally.errors.Timeout
		case x.status != 0:
			kind = &tally.errors.Length
		}
		first = false
		t.fail(x, kind)
	}
}
