package tcpmux_test

import (
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Every method may be called at any time while channels are used and connections are cut.
func TestAskedAllTheTime(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(quick)
	x, y := r.channel(a, b, "x")
	keep := func(...any) {}
	var asking sync.WaitGroup
	for _, ask := range []func(){
		func() {
			keep(a.RemoteAddr(), a.LocalAddr(), a.TLS(), b.Connected(), a.Err(), a.Stats(), b.Stats(), r.l.Stats())
		},
		func() { keep(a.Channels(), b.Channel("x"), r.l.Sessions(), x.Sent(), x.Acked(), x.Stats(), y.Stats()) },
		func() {
			x.SetPriority(tcpmux.PriorityUrgent)
			x.SetDeadline(time.Now().Add(time.Hour))
			y.SetWriteDeadline(time.Time{})
			keep(x.Done())
		},
		func() {
			if c, err := b.Open(""); err == nil {
				keep(c.TrySend([]byte("once")), c.Close())
			}
		},
		func() { keep(a.Ping(r.ctx)) },
	} {
		asking.Go(func() {
			for range 200 {
				ask()
			}
		})
	}
	for k := range 100 {
		if k%20 == 19 {
			r.p.cut()
		}
		r.send(x, "there")
		r.want(y, "there")
		r.send(y, "back")
		r.want(x, "back")
	}
	asking.Wait()
}
