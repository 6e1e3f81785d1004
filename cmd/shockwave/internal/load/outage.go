package load

import (
	"sync"
	"sync/atomic"
	"time"
)

// shortestOutage is what is worth to be told of one by one; shorter ones are seen by their errors.
const shortestOutage = 100 * time.Millisecond

// outages notes when there was no connection at all and none was to be had: it lasts from the moment when the last one
// ended to that when the next one begins. A server that closes in good order and takes the next connection has none.
// Moments are nanoseconds since the run was made. All methods may be called concurrently.
type outages struct {
	mu    sync.Mutex
	empty int64 // when the last connection ended
	since int64 // when the one began that goes on; 0: none does
	list  []outage
}

type outage struct{ from, to int64 }

// emptied is for the end of the last connection.
func (o *outages) emptied(now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.empty = now
}

// begin is for a connection that could not be opened. open is how many there are: it is read under the lock, so that one
// that begins right now, and then calls end, is not missed.
func (o *outages) begin(open *atomic.Int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == 0 && open.Load() == 0 {
		o.since = o.empty
	}
}

// end is for a connection that has been opened.
func (o *outages) end(now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since != 0 {
		o.list = append(o.list, outage{o.since, now})
		o.since = 0
	}
}

// lasted returns for how long nothing could be connected by now.
func (o *outages) lasted(now int64) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == 0 {
		return 0
	}
	return time.Duration(now - o.since)
}

// within returns what there was from began to ended, as seen from began.
func (o *outages) within(began, ended int64) (all []Outage) {
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
