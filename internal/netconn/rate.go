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
	slow := a.bytes*1e9 < int64(cfg.MinReadRate)*a.waited
	*a = readAccount{}
	return slow
}

// writeAccount judges how fast a peer takes what we send while we wait for it. A receiver that is slow but alive opens
// its window in leaps, so its spans are twice as long.
//
// The kernel wakes a writer only when a third of its buffer is free, which may be a megabyte. So nobody is judged
// before a last try: a send that finds room for a single byte counts.
type writeAccount struct {
	cfg      *Config
	began    int64 // of this span
	bytes    int64 // taken in this span
	progress int64 // when bytes were last seen to move
	lastTry  bool  // the span is over; one more send is tried before it is judged
}

func (a *writeAccount) add(n int, now int64) {
	a.bytes += int64(n)
	if n > 0 {
		a.progress = now
	}
}

// over tells whether it is time to judge.
func (a *writeAccount) over(now int64) bool {
	span := a.cfg.MinWriteRate > 0 && now >= a.began+2*int64(a.cfg.RateGrace)
	return span || passed(after(a.progress, a.cfg.WriteTimeout), now)
}

// next returns when to look again, 0 for never.
func (a *writeAccount) next(now int64) int64 {
	if a.lastTry {
		return now + int64(tick)
	}
	at := after(a.progress, a.cfg.WriteTimeout)
	if a.cfg.MinWriteRate > 0 {
		at = earlier(at, a.began+2*int64(a.cfg.RateGrace))
	}
	return at
}

// tooSlow judges at now.
func (a *writeAccount) tooSlow(now int64) bool {
	tried := a.lastTry
	a.lastTry = !tried && a.over(now)
	if !tried {
		return false
	}
	slow := passed(after(a.progress, a.cfg.WriteTimeout), now)
	if a.cfg.MinWriteRate > 0 && now >= a.began+2*int64(a.cfg.RateGrace) {
		slow = slow || a.bytes*1e9 < int64(a.cfg.MinWriteRate)*(now-a.began)
		a.began, a.bytes = now, 0
	}
	return slow
}
