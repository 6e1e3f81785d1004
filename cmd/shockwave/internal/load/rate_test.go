package load

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Each moment of the schedule sends one request.
func TestRate(t *testing.T) {
	for _, conns := range []int{1, 7, 200} {
		t.Run(fmt.Sprint(conns), func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) { p.answer(fine) })
			res := s.scheduled(t, Config{Rate: 1000, Conns: conns, Duration: 500 * time.Millisecond})
			if res.Errors != (Errors{}) || s.asked.Load() > res.Requests+res.Unanswered {
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

// The moments of all slots are those of the rate, each once.
func TestSchedule(t *testing.T) {
	for _, s := range []schedule{{1000, 1}, {666.7, 10}, {3, 100}, {1e6, 7}, {0.01, 3}} {
		last := int64(-1)
		for i := range int64(5000) {
			seat, k := int(i%int64(s.slots)), i/int64(s.slots)
			at := s.moment(seat, k)
			if want := float64(i) * 1e9 / s.rate; math.Abs(float64(at)-want) > 1+want*1e-12 || at <= last {
				t.Fatalf("%+v: moment %d of all is at %d", s, i, at)
			}
			last = at
			if before, then := s.passed(seat, at-1), s.passed(seat, at); before != k || then != k+1 {
				t.Fatalf("%+v: around moment %d of seat %d, %d and %d have passed", s, k, seat, before, then)
			}
		}
	}
}

// Responses belong to requests in the order in which they were sent.
func TestFlight(t *testing.T) {
	var f flight
	f.makeRoom(4)
	f.push(1, 10, 2)
	f.push(2, 20, 1)
	if n := f.olderThan(20); n != 2 {
		t.Errorf("%d were sent before 20", n)
	}
	f.pop()
	f.push(3, 30, 1)
	f.push(3, 30, 1)
	var order []int64
	for f.total > 0 {
		order = append(order, f.oldest().due)
		f.pop()
	}
	if len(order) != 4 || order[0] != 1 || order[1] != 2 || order[2] != 3 || order[3] != 3 {
		t.Errorf("answered in the order %v", order)
	}
	for i := range int64(10) { // around the ring
		f.push(i, i, 1)
		f.push(i, i+1, 1)
		if a := f.oldest().sent; a != i {
			t.Errorf("the oldest was sent at %d, not %d", a, i)
		}
		f.pop()
		f.pop()
	}
}
