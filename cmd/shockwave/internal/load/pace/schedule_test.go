package pace

import (
	"math"
	"testing"
)

// The moments of all slots are those of the rate, each once.
func TestSchedule(t *testing.T) {
	for _, s := range []Schedule{{1000, 1}, {666.7, 10}, {3, 100}, {1e6, 7}, {0.01, 3}} {
		last := int64(-1)
		for i := range int64(5000) {
			seat, k := int(i%int64(s.Slots)), i/int64(s.Slots)
			at := s.Due(seat, k)
			if want := float64(i) * 1e9 / s.Rate; math.Abs(float64(at)-want) > 1+want*1e-12 || at <= last {
				t.Fatalf("%+v: moment %d of all is at %d", s, i, at)
			}
			last = at
			if before, then := s.Passed(seat, at-1), s.Passed(seat, at); before != k || then != k+1 {
				t.Fatalf("%+v: around moment %d of seat %d, %d and %d have passed", s, k, seat, before, then)
			}
		}
	}
}
