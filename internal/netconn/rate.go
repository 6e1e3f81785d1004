package netconn

// A minimum rate is judged over spans of waiting only: a handler that thinks, an event stream with nothing to tell and
// a client between two requests are not slow.

// readAccount judges how fast a peer delivers while we wait for it.
type readAccount struct {
	waited int64 // nanoseconds in this span
	bytes  int64 // received in this span
}

// tooSlow judges a span that is full, and begins the next.
func (a *readAccount) tooSlow(cfg *Config) bool {
	if cfg.MinReadRate == 0 || a.waited < int64(cfg.RateGrace) {
		return false
	}
	slow := float64(a.bytes)*1e9 < float64(cfg.MinReadRate)*float64(a.waited)
	*a = readAccount{}
	return slow
}

// writeAccount judges how fast a peer takes what we send while we wait for it. What the kernel accepts from us tells
// little: it fills its own buffer first, lets that grow, and wakes a writer only when a third of it is free. So the
// peer is judged by what leaves that buffer. A receiver that is slow but alive opens its window in leaps, sixteenths of
// a buffer of megabytes, so the span is three times as long as that of reading, and begins after RateGrace of waiting.
type writeAccount struct {
	waited   int64 // nanoseconds of waiting
	marked   bool  // the span has begun
	queued   int   // bytes in the kernel's buffer when it began
	accepted int64 // bytes given to the kernel since
}

// add records a wait.
func (a *writeAccount) add(waited int64, n int) {
	a.waited += waited
	a.accepted += int64(n)
}

// next returns how much longer to wait before the next look.
func (a *writeAccount) next(cfg *Config) int64 {
	if a.marked {
		return 4*int64(cfg.RateGrace) - a.waited
	}
	return int64(cfg.RateGrace) - a.waited
}

// tooSlow begins a span or judges one that is full. unsent is asked for the size of the kernel's buffer.
func (a *writeAccount) tooSlow(cfg *Config, unsent func() int) bool {
	if cfg.MinWriteRate == 0 || a.next(cfg) > 0 {
		return false
	}
	if !a.marked {
		a.marked, a.queued, a.accepted = true, unsent(), 0
		return false
	}
	left := a.accepted + int64(a.queued-unsent())
	slow := float64(left)*1e9 < float64(cfg.MinWriteRate)*3*float64(cfg.RateGrace)
	*a = writeAccount{}
	return slow
}
