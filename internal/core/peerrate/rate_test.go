package peerrate

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// A fast peer is never judged as slow, although nanoseconds times bytes overflow 63 bits at some GiB.
func TestRatesOfFastTransfers(t *testing.T) {
	l := Limits{MinRead: 240, MinWrite: 240, Grace: 5 * time.Second}
	for _, bytes := range []int64{1 << 20, 9 << 30, 10 << 30, 100 << 30, 1 << 50} {
		read := Reads{waited: int64(l.Grace), bytes: bytes}
		if read.TooSlow(&l) {
			t.Errorf("a peer that sent %d bytes within %v is said to be too slow", bytes, l.Grace)
		}
		write := writes{waited: 4 * int64(l.Grace), span: 3 * int64(l.Grace)}
		if write.tooSlow(&l, new(transport.Conn), bytes) {
			t.Errorf("a peer that took %d bytes within %v is said to be too slow", bytes, 3*l.Grace)
		}
	}
	l.MinRead, l.MinWrite = 1<<30, 1<<30 // an int may have 32 bits
	read := Reads{waited: int64(l.Grace), bytes: 2 << 30}
	if !read.TooSlow(&l) {
		t.Error("a peer that sent 0.4 GiB/s where 1 is asked for is said to be fast enough")
	}
	write := writes{waited: 4 * int64(l.Grace), span: 3 * int64(l.Grace)}
	if !write.tooSlow(&l, new(transport.Conn), 6<<30) {
		t.Error("a peer that took 0.4 GiB/s where 1 is asked for is said to be fast enough")
	}
}
