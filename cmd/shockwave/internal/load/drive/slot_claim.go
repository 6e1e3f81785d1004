package drive

// lateAfter is how many nanoseconds after its due time a request counts as late.
const lateAfter = int64(10_000_000)

// Group is a number of requests with the same times, in nanoseconds since the run was made.
type Group struct {
	Due  int64 // when they should have been sent
	Sent int64 // when they were sent
	N    int
}

// Claim puts requests in flight that may be sent now, at most so many. It returns how many those are, and the index of the
// first one; there may be none. With a schedule it claims one at a time.
func (s *Slot) Claim(now int64, most int) (g Group, turn int) {
	start, due := s.state.started.Load(), now
	if start == 0 {
		return g, 0
	}
	if s.Scheduled() {
		if due = start + s.state.schedule.Due(s.number, s.next); due > now {
			return g, 0
		}
		most = min(most, 1)
	}
	n := s.state.quota.Take(most)
	if n == 0 {
		return g, 0
	}
	if now-due > lateAfter {
		s.now.Late++
	}
	turn, s.turn = s.turn, s.state.turns.After(s.turn, n)
	s.next += int64(n)
	s.inFlight += int64(n)
	return Group{due, now, n}, turn
}

// GiveBack treats n claimed requests as not sent, because the server has not processed them. The next request will be the
// one with index turn.
func (s *Slot) GiveBack(n int, turn int) {
	s.turn = turn
	s.next -= int64(n)
	s.inFlight -= int64(n)
	s.state.quota.GiveBack(int64(n))
}

// unsent returns how many of the slot's requests were due before end and not sent.
func (s *Slot) unsent(end int64) int64 {
	s.Lock()
	defer s.Unlock()
	return max(0, s.state.schedule.Passed(s.number, end-s.state.started.Load())-s.next)
}
