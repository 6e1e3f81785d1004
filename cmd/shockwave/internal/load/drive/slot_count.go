package drive

import "github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"

// Tally returns the counts, for what Judge, Answered and Fail do not count. They are valid while the lock is held.
func (s *Slot) Tally() *account.Tally { return s.now }

// Judge counts the status of a complete response of HTTP to the request with index turn, and compares it with the first one. It
// returns the counter of the error that it has, or nil.
func (s *Slot) Judge(status int, length int64, turn int) (wrong *int64) {
	s.now.Statuses[status]++
	var like *sameCheck
	if s.state.sameChecks != nil {
		like = &s.state.sameChecks[turn]
	}
	return like.wrong(status, length, &s.now.Errors)
}

// Answered counts a request of g with a complete response, or with OneWay one that has been sent. turn is its index. begun is
// when the response began to arrive, or 0 if it arrived in one piece. wrong is the counter of the error that it has, or nil.
func (s *Slot) Answered(g Group, begun int64, turn int, now int64, wrong *int64) {
	t := s.now
	t.RecordLatency(now - g.Due)
	if begun != 0 {
		t.RecordSplit(begun-g.Due, now-g.Due)
	}
	right := false
	switch {
	case now-g.Sent > int64(s.state.plan.Timeout):
		t.Errors.Timeout++
	case wrong != nil:
		*wrong++
	default:
		t.Requests++
		s.useful, right = true, true
	}
	if t.Targets != nil {
		t.Targets[turn].Record(now-g.Due, right)
	}
	s.inFlight--
	s.state.quota.Settle(1)
}

// Fail counts a request without a complete response. kind is a counter of Tally's Errors, turn the request's index.
func (s *Slot) Fail(kind *int64, turn int) {
	*kind++
	if s.now.Targets != nil {
		s.now.Targets[turn].Fail()
	}
	s.inFlight--
	s.state.quota.Settle(1)
}
