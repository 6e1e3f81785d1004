package load

import "github.com/shockwave-go/shockwave/internal/netconn"

// lateAfter is how long after its moment a request is late.
const lateAfter = int64(10_000_000)

// pump puts as many requests in flight as the time and the pipeline allow, and returns what is to be written now, by
// the caller, when the lock is free again. mu is held.
func (s *seat) pump(now int64) []byte {
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

// pumpDue is pump for an open loop: only requests whose moment has come leave, until most are in flight.
func (s *seat) pumpDue(now, start int64, most int) (n int) {
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

// write sends requests that are in flight already.
func (s *seat) write(c *netconn.Conn, requests []byte) error {
	if len(requests) == 0 {
		return nil
	}
	_, err := c.Write(requests)
	return err
}

// handToWriter leaves n requests to a goroutine. If they are large, who reads the answers must not wait for a server that
// waits for the answers to be read.
func (s *seat) handToWriter(n int) {
	s.toWrite += n
	if !s.writing {
		s.writing = true
		s.run.writers.Go(s.writer(s.conn))
	}
}

// writer returns what writes requests to c, in their order, until none is left.
func (s *seat) writer(c *netconn.Conn) func() {
	return func() {
		for turn := s.claimWrite(c); turn >= 0; turn = s.claimWrite(c) {
			if c.WriteTwo(s.run.req.heads[turn], s.run.req.bodies[turn]) != nil {
				return // End sees to the rest
			}
		}
	}
}

// claimWrite takes one of the requests that wait for the writer of c, and returns whose turn it is. -1 is the end of the
// writer.
func (s *seat) claimWrite(c *netconn.Conn) (turn int) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if s.conn != c {
		return -1 // the seat's next connection has a writer of its own
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
