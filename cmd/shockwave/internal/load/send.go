package load

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// lateAfter is how many nanoseconds after its due time a request counts as late.
const lateAfter = int64(10_000_000)

// pump puts as many requests in flight as the schedule and the pipeline depth allow. It returns the bytes that the
// caller must write after releasing mu. mu must be held.
func (s *slot) pump(now int64) []byte {
	r, n := s.run, 0
	start := r.started.Load()
	if start == 0 || s.conn == nil {
		return nil
	}
	if r.oneWay {
		s.startSender()
		return nil
	}
	if r.schedule.rate == 0 {
		if n = r.quota.take(r.depth - s.flight.total); n > 0 {
			s.flight.push(now, now, n)
		}
	} else {
		n = s.pumpDue(now, start, r.depth)
	}
	s.shard.inFlight += int64(n)
	if n == 0 {
		return nil
	}
	if r.req.batch == nil {
		s.handToWriter(n)
		return nil
	}
	first, end := r.req.starts[s.turn], r.req.starts[s.turn+n]
	s.turn = r.req.turns.after(s.turn, n)
	return r.req.batch[first:end]
}

// pumpDue puts the requests of an open loop that are due in flight, until most are in flight.
func (s *slot) pumpDue(now, start int64, most int) (n int) {
	for s.flight.total < most {
		due := start + s.run.schedule.moment(s.index, s.next)
		if due > now || s.run.quota.take(1) == 0 {
			break
		}
		if now-due > lateAfter {
			s.shard.now.late++
		}
		s.flight.push(due, now, 1)
		s.next++
		n++
	}
	return n
}

// claimOne takes the next request for one of many in flight, if one may be sent now. It returns its times and its index. mu must be
// held.
func (s *slot) claimOne(now int64) (g sendGroup, turn int, ok bool) {
	r, due := s.run, now
	start := r.started.Load()
	if start == 0 {
		return g, 0, false
	}
	if r.schedule.rate > 0 {
		if due = start + r.schedule.moment(s.index, s.next); due > now {
			return g, 0, false
		}
	}
	if r.quota.take(1) == 0 {
		return g, 0, false
	}
	turn, s.turn = s.turn, r.req.turns.after(s.turn, 1)
	s.shard.inFlight++
	if r.schedule.rate > 0 {
		s.next++
		if now-due > lateAfter {
			s.shard.now.late++
		}
	}
	return sendGroup{due: due, sent: now}, turn, true
}

// unclaimOne gives the request that claimOne returned last back. mu must be held.
func (s *slot) unclaimOne(turn int) {
	s.turn = turn
	s.next--
	s.shard.inFlight--
	s.run.quota.giveBack(1)
}

// write writes requests that are already in flight.
func (s *slot) write(c *netconn.Conn, requests []byte) error {
	if len(requests) == 0 {
		return nil
	}
	_, err := c.Write(requests)
	return err
}

// handToWriter leaves the writing of n requests to a goroutine. It is used for large requests: the goroutine that reads
// responses must not block on a server that waits for responses to be read.
func (s *slot) handToWriter(n int) {
	s.toWrite += n
	if !s.writing {
		s.writing = true
		s.run.writers.Go(s.writer(s.conn))
	}
}

// writer returns a function that writes requests to c in order, until none are left.
func (s *slot) writer(c *netconn.Conn) func() {
	return func() {
		for turn := s.claimWrite(c); turn >= 0; turn = s.claimWrite(c) {
			if c.WriteTwo(s.run.req.heads[turn], s.run.req.bodies[turn]) != nil {
				return // End handles the error
			}
		}
	}
}

// claimWrite takes the next request for the writer of c and returns its index. It returns -1 if the writer must return.
func (s *slot) claimWrite(c *netconn.Conn) (turn int) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if s.conn != c {
		return -1 // the slot's next connection has its own writer
	}
	if s.toWrite == 0 || s.shard.over {
		s.writing = false
		return -1
	}
	s.toWrite--
	turn = s.turn
	s.turn = s.run.req.turns.after(turn, 1)
	return turn
}
