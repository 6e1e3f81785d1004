package load

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Each moment of the schedule sends one request.
func TestRate(t *testing.T) {
	for _, conns := range []int{1, 7, 200} {
		t.Run(fmt.Sprint(conns), func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) { p.answer(fine) })
			res := s.scheduled(t, Config{Rate: 1000, Conns: conns, Duration: 500 * time.Millisecond})
			if res.Errors != (account.Errors{}) || s.asked.Load() > res.Requests+res.Unanswered {
				t.Errorf("%d requests arrived, %+v", s.asked.Load(), res)
			}
		})
	}
}

// A server that stalls delays every request that was due meanwhile.
func TestStall(t *testing.T) {
	t.Parallel()
	const stall = 300 * time.Millisecond
	var asked atomic.Int64
	var gate sync.RWMutex
	s := serveNetHTTP(t, false, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 100 {
			gate.Lock()
			time.Sleep(stall)
			gate.Unlock()
		}
		gate.RLock()
		defer gate.RUnlock()
		w.Write([]byte("fine"))
	})
	res := s.run(t, Config{Rate: 1000, Conns: 4, Requests: 800})
	late := int64(0)
	for _, b := range res.Latency.Distribution() {
		if b.From >= int64(100*time.Millisecond) {
			late += b.Count
		}
	}
	// Of the 300 moments, the first 200 were at least 100 ms before the end of the stall.
	if late < 150 {
		t.Errorf("%d requests were answered 100 ms after their moment", late)
	}
	if res.Late < 150 {
		t.Errorf("%d requests were sent late", res.Late)
	}
}

// What a server cannot keep up with is counted.
func TestOverload(t *testing.T) {
	s := serveNetHTTP(t, false, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		w.Write([]byte("fine"))
	})
	res := s.run(t, Config{Rate: 1000, Conns: 2, Duration: time.Second})
	if res.Unsent < 100 || res.Unanswered > 2 {
		t.Errorf("%d unsent, %d unanswered, %d answered", res.Unsent, res.Unanswered, res.Requests)
	}
}
