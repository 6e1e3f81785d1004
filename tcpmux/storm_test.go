package tcpmux_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Numbered messages of all sizes are echoed once and in order while the connection is cut.
func TestStormOfCuts(t *testing.T) {
	t.Parallel()
	const channels, messages = 16, 150
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(quick)
	stop := make(chan struct{})
	var cutting, echoing, all sync.WaitGroup
	cutting.Go(func() {
		for last := int64(0); ; {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			if n := a.Stats().Received; n >= last+30 { // a connection that brings nothing over is not cut
				last = n
				r.p.cut()
			}
		}
	})
	echoing.Go(func() {
		for {
			y, err := b.Accept(r.ctx)
			if err != nil {
				return
			}
			echoing.Go(func() {
				for p, err := range y.Messages() {
					if err != nil || y.Send(r.ctx, p) != nil {
						return
					}
				}
				y.CloseSend()
			})
		}
	})
	for k := range channels {
		x, err := a.Open(fmt.Sprint(k))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			var sending sync.WaitGroup
			sending.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(k)))
				for n := range messages {
					p := make([]byte, 8+rnd.IntN([]int{1, 100, 5000, 100_000}[n%4]))
					binary.BigEndian.PutUint32(p, uint32(n))
					binary.BigEndian.PutUint32(p[4:], uint32(len(p)))
					if err := x.Send(r.ctx, p); err != nil {
						t.Errorf("channel %d: message %d: %v", k, n, err)
						return
					}
				}
				x.CloseSend()
			})
			n := uint32(0)
			for p, err := range x.Messages() {
				if err != nil || len(p) < 8 || binary.BigEndian.Uint32(p) != n || int(binary.BigEndian.Uint32(p[4:])) != len(p) {
					t.Errorf("channel %d: message %d: got %x, %d bytes", k, n, p[:8], len(p))
					break
				}
				n++
			}
			if n != messages {
				t.Errorf("channel %d: %d messages", k, n)
			}
			sending.Wait()
		})
	}
	all.Wait()
	close(stop)
	cutting.Wait()
	if n := a.Stats().Resumed; n == 0 {
		t.Error("the connection was never cut")
	}
	_ = a.Shutdown(r.ctx)
	echoing.Wait()
}
