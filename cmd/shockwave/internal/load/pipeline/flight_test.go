package pipeline

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
)

// Responses belong to requests in the order in which they were sent.
func TestFlight(t *testing.T) {
	var f flight
	f.makeRoom(4)
	f.push(drive.Group{Due: 1, Sent: 10, N: 2})
	f.push(drive.Group{Due: 2, Sent: 20, N: 1})
	f.pop()
	f.push(drive.Group{Due: 3, Sent: 30, N: 1})
	f.push(drive.Group{Due: 3, Sent: 30, N: 1})
	var order []int64
	for f.total > 0 {
		order = append(order, f.oldest().Due)
		f.pop()
	}
	if len(order) != 4 || order[0] != 1 || order[1] != 2 || order[2] != 3 || order[3] != 3 {
		t.Errorf("answered in the order %v", order)
	}
	for i := range int64(10) { // around the ring
		f.push(drive.Group{Due: i, Sent: i, N: 1})
		f.push(drive.Group{Due: i, Sent: i + 1, N: 1})
		if a := f.oldest().Sent; a != i {
			t.Errorf("the oldest was sent at %d, not %d", a, i)
		}
		f.pop()
		f.pop()
	}
}
