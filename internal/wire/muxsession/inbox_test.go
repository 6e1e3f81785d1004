package muxsession

import "testing"

// The inbox returns small and large messages in order and holds no memory when it is empty.
func TestInboxKeepsOrder(t *testing.T) {
	mem := &memory{t: t, lent: map[*byte]int{}}
	var q inbox
	size := func(k int) int { return []int{0, 10, 3000, 100, 5000}[k%5] }
	added, taken, cost := 0, 0, 0
	add := func() {
		n := size(added)
		cost += n + 8
		if p := text(added, n); n <= maxPacked {
			q.add(mem, []byte(p), n+8)
		} else {
			q.addAlone(append(mem.Get(n)[:0], p...), n+8, 0, false)
		}
		added++
	}
	take := func() {
		p, c, _, alone := q.next()
		if string(p) != text(taken, size(taken)) || alone != (len(p) > maxPacked) || c != len(p)+8 {
			t.Fatalf("message %d of %d: %.20q, %d bytes, alone %v", taken, added, p, len(p), alone)
		}
		cost -= c
		q.drop(mem, false)
		taken++
	}
	for range 400 {
		add()
	}
	for taken < added {
		take()
		if taken%3 == 0 && added < 1000 {
			add()
		}
	}
	if q.messages != 0 || cost != 0 || len(q.segs) != 0 || cap(q.segs) > 16 || mem.held != 0 {
		t.Errorf("%d messages, %d segments, room for %d, %d bytes are held", q.messages, len(q.segs), cap(q.segs), mem.held)
	}
}
