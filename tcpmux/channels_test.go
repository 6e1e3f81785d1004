package tcpmux_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Thousands of channels in one session each carry a message in both directions, and an idle one takes less memory than
// docs/tcpmux.md says. SHOCKWAVE_CHANNELS sets their number.
func TestManyChannels(t *testing.T) {
	n := 5000
	if k, err := strconv.Atoi(os.Getenv("SHOCKWAVE_CHANNELS")); err == nil {
		n = k
	}
	r := newRig(t, tcpmux.Config{MaxChannels: n + 1})
	a, b := r.session(tcpmux.Config{MaxChannels: n + 1})
	near, far := make([]*tcpmux.Channel, n), make([]*tcpmux.Channel, n)
	before := heap()
	begun := time.Now()
	for k := range near {
		x, err := a.Open("channel " + strconv.Itoa(k))
		if err != nil {
			t.Fatal(err)
		}
		near[k] = x
		r.send(x, strconv.Itoa(k))
	}
	for k := range far {
		y, err := b.Accept(r.ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.want(y, strconv.Itoa(k))
		r.send(y, "back")
		far[k] = y
	}
	for _, x := range near {
		r.want(x, "back")
	}
	took := time.Since(begun)
	if _, err := a.Open("one more"); err != nil {
		t.Error(err)
	}
	if _, err := a.Open("too many"); err != tcpmux.ErrTooManyChannels {
		t.Errorf("one too many: got %v, want %v", err, tcpmux.ErrTooManyChannels)
	}
	each := uint64(0)
	for until := time.Now().Add(long); ; time.Sleep(10 * time.Millisecond) {
		if each = (max(heap(), before) - before) / uint64(2*n); each < 1000 || raceEnabled {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d bytes for each side of an idle channel", each)
		}
	}
	t.Logf("%d channels: %v, %d bytes for each side of an idle one", n, took, each)
	for k, x := range near {
		x.CloseSend()
		far[k].CloseSend()
	}
	waits(t, "all are over", func() bool { return a.Stats().Channels == 1 && b.Stats().Channels == 1 })
	runtime.KeepAlive(near)
	runtime.KeepAlive(far)
}
