package streamsock_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/shockwave-go/shockwave/streamsock"
)

// recordAllocs is how often crypto/tls allocates for each record of 16 KiB that it reads: one allocation, of 24 bytes, is the
// price of a buffer that has room for one record.
const recordAllocs = 3.5

// A message allocates nothing at either end while messages go one way as fast as they are received. The collector, which empties
// pools, is off; the runtime allocates now and then, so the bound is one allocation in ten messages.
func TestNothingIsAllocatedForAMessage(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has pools lose things")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, transport := range []string{"tcp", "tls", "ws", "wss"} {
		for size, n := range map[int]int{64: 20_000, 1 << 10: 10_000, 64 << 10: 500, 256 << 10: 200} {
			t.Run(fmt.Sprint(transport, "/", size), func(t *testing.T) {
				most := 0.1
				if transport == "tls" || transport == "wss" {
					most += recordAllocs * float64(size) / (16 << 10)
				}
				if os.Getenv("SHOCKWAVE_LOOP") == "plain" && size > 64<<10 {
					most++ // net.Buffers
				}
				if each := mallocs(t, transport, size, n, most); each > most {
					t.Errorf("%.3f allocations a message, want %.1f at most", each, most)
				}
			})
		}
	}
}

// mallocs sends n messages of a size, until they take at most the given allocations each, but not for ever, and returns how
// many they took at best.
func mallocs(t *testing.T, transport string, size, n int, most float64) float64 {
	ours, theirs := certificate(t)
	in, out := newSocket(t, streamsock.Config{TLSConfig: ours}), newSocket(t, streamsock.Config{DialTLSConfig: theirs})
	peer, err := out.Connect(bind(t, in, transport+"://127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, "connected 1")
	go func() {
		dst := make([]streamsock.Message, 64)
		for {
			k, err := in.RecvBatch(context.Background(), dst)
			if err != nil {
				return
			}
			for i := range dst[:k] {
				dst[i].Release()
			}
		}
	}()
	p := make([]byte, size)
	send := func(n int) {
		for range n {
			if err := peer.Send(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	fewest := math.Inf(1)
	for try := 0; fewest > most && try < 12; try++ { // more than the times before no buffers are under way
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send(n)
		runtime.ReadMemStats(&after)
		fewest = min(fewest, float64(after.Mallocs-before.Mallocs)/float64(n))
	}
	return fewest
}
