package account

import (
	"sync"
	"sync/atomic"
	"time"
)

// Outage is a time without any connection, when none could be opened. Outages under a tenth of a second are left out.
type Outage struct{ From, To time.Duration } // relative to the beginning of counting

// shortestOutage is the shortest outage that is listed. Shorter ones only show in the error counts.
const shortestOutage = 100 * time.Millisecond

// OutageLog records the times when there was no connection and none could be opened. An outage lasts from the end of the
// last connection to the start of the next one. There is none if the first attempt to reconnect succeeds. Times are
// nanoseconds since the run was made. All methods may be called concurrently.
type OutageLog struct {
	mu    sync.Mutex
	empty int64 // when the last connection ended
	since int64 // start of the current outage; 0: none
	list  []outage
}

type outage struct{ from, to int64 }

// Emptied is called when the last connection has ended.
func (o *OutageLog) Emptied(now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.empty = now
}

// Begin is called when a connection could not be opened. open is the number of connections. Begin reads it under the
// lock, so that it does not miss a connection that is just starting and about to call End.
func (o *OutageLog) Begin(open *atomic.Int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == 0 && open.Load() == 0 {
		o.since = o.empty
	}
}

// End is called when a connection has been opened.
func (o *OutageLog) End(now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since != 0 {
		o.list = append(o.list, outage{o.since, now})
		o.since = 0
	}
}

// Lasted returns how long the current outage has lasted, or 0.
func (o *OutageLog) Lasted(now int64) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == 0 {
		return 0
	}
	return time.Duration(now - o.since)
}

// Within returns the outages between began and ended, relative to began.
func (o *OutageLog) Within(began, ended int64) (all []Outage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.list
	if o.since != 0 {
		list = append(list, outage{o.since, ended})
	}
	for _, one := range list {
		from, to := max(one.from, began), min(one.to, ended)
		if time.Duration(to-from) >= shortestOutage {
			all = append(all, Outage{time.Duration(from - began), time.Duration(to - began)})
		}
	}
	return all
}
