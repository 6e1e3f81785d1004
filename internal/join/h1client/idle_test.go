package h1client_test

import (
	"errors"
	"net"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A connection is fresh until bytes or its end arrive, and looking changes nothing.
func TestFresh(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for what, f := range map[string]func(r *rig){
			"bytes": func(r *rig) { r.peer.Send("HTTP/1.1 408 Too late\r\n\r\n") },
			"end":   func(r *rig) { r.peer.Close() },
			"reset": func(r *rig) { r.peer.Reset() },
		} {
			t.Run(what, func(t *testing.T) {
				r := plainRig(t, k)
				for range 2 {
					if !r.Fresh() {
						t.Fatal("not fresh")
					}
					r.begin("GET")
					if r.Fresh() {
						t.Error("fresh while the connection is in use")
					}
					r.respondsOK()
					r.leave(true)
				}
				f(r)
				if k.sees() {
					wiretest.Eventually(t, "it to be seen", func() bool { return !r.Fresh() })
					r.Look = true
					if err := r.Begin("GET", []byte(getHead), nil, false, false); err != h1client.ErrEnded {
						t.Errorf("Begin: %v", err)
					}
				}
			})
		}
	})
}

// Fresh and Close may be called at the same time.
func TestFreshOrClosed(t *testing.T) {
	for range 20 {
		r := plainRig(t, socket)
		closed := later(func() bool { r.Close(); return true })
		r.Fresh()
		wiretest.Within(t, "Close", closed)
		if r.Fresh() {
			t.Error("fresh when closed")
		}
		r.peer.WantEOF()
	}
}

// TLS session tickets are no bytes of a response.
func TestFreshAfterTickets(t *testing.T) {
	r := plainRig(t, kinds[3]) // whose server sends tickets behind its handshake
	for range 100 {
		if !r.Fresh() {
			t.Fatal("not fresh")
		}
	}
	r.again()
	if !r.Fresh() {
		t.Error("not fresh after an exchange")
	}
}

// A watch calls its function once, whatever arrives.
func TestWatch(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for what, f := range map[string]func(r *rig){
			"bytes": func(r *rig) { r.peer.Send("HTTP/1.1 408 Too late\r\n\r\n") },
			"end":   func(r *rig) { r.peer.Close() },
			"reset": func(r *rig) { r.peer.Reset() },
			"time":  func(r *rig) { r.clock.Advance(2 * time.Minute) },
			"close": func(r *rig) { _ = r.eng.Close() },
		} {
			t.Run(what, func(t *testing.T) {
				r := plainRig(t, k)
				r.again()
				told := make(chan bool, 10)
				stop := r.Watch(time.Minute, func() { told <- true })
				if r.Fresh() {
					t.Error("Fresh looked at a watched connection")
				}
				r.clock.Advance(30 * time.Second)
				if len(told) > 0 {
					t.Error("the function was called without a reason")
				}
				f(r)
				wiretest.Within(t, "it to be told", told)
				if stop() {
					t.Error("stop returned true after the call")
				}
				r.Close()
				wiretest.Within(t, "the end", r.over)
				if len(told) > 0 {
					t.Error("the function was called twice")
				}
				r.over <- r.Conn
			})
		}
	})
}

// A watch that is stopped, by hand or by Begin, leaves the connection usable.
func TestWatchStopped(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		told := func() { t.Error("the function was called after stop") }
		for range 3 {
			stop := r.Watch(time.Minute, told)
			if again := r.Watch(time.Minute, told); again() {
				t.Error("two watches at the same time")
			}
			if !stop() {
				t.Fatal("too late to stop")
			}
			if stop() {
				t.Error("stopped twice")
			}
			r.again()
			stop = r.Watch(time.Minute, told)
			r.again()
			if stop() {
				t.Error("stopped after an exchange")
			}
			r.clock.Advance(2 * time.Minute)
		}
	})
}

// The end of the connection ends the watch.
func TestWatchEnds(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, end := range []func(r *rig){
			func(r *rig) { r.Close() },
			func(r *rig) { r.Abort() },
		} {
			r := plainRig(t, k)
			stop := r.Watch(0, func() { t.Error("the function was called") })
			end(r)
			wiretest.Within(t, "the end", r.over)
			r.over <- r.Conn
			if stop() {
				t.Error("stop returned true after the end")
			}
			if stop = r.Watch(0, func() { t.Error("the function was called") }); stop() {
				t.Error("a watch began after the end")
			}
		}
	})
}

// A watch that fires, is stopped and whose connection is closed, all at once, does no harm.
func TestWatchRaces(t *testing.T) {
	for i := range 300 {
		k := kinds[i%2]
		r := plainRig(t, k)
		told := make(chan bool, 1)
		stop := r.Watch(0, func() { told <- true; r.Close() })
		closed := later(func() bool { r.Close(); return true })
		r.peer.Send("x")
		if i%3 == 0 {
			if stop() && len(told) > 0 {
				t.Error("the function was called after stop")
			}
		}
		if i%3 == 1 && r.Begin("GET", []byte(getHead), nil, false, false) == nil {
			r.Leave()
		}
		wiretest.Within(t, "Close", closed)
		wiretest.Within(t, "the end", r.over)
		r.over <- r.Conn
		r.isOver()
	}
}

// Stop reports true only if the watch never calls its function.
func TestWatchStoppedAsItFires(t *testing.T) {
	for i := range 1500 {
		r := plainRig(t, kinds[i%2])
		told := make(chan bool, 1)
		stop := r.Watch(0, func() { told <- true })
		sent := later(func() bool { r.peer.Send("x"); return true })
		for range i % 100 {
			runtime.Gosched()
		}
		stopped := stop()
		wiretest.Within(t, "the server to speak", sent)
		r.isOver()
		if stopped && len(told) > 0 {
			t.Error("the function was called after stop")
		}
	}
}

// slowWake is a connection whose Read takes a while to return after its deadline has passed.
type slowWake struct {
	net.Conn
	late time.Duration
}

func (c slowWake) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		time.Sleep(c.late)
	}
	return n, err
}

// A request does not begin on a connection that ending the watch aborts.
func TestWatchEndsAtTheLastMoment(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
			r := rigOn(t, kinds[2], slowWake{near, time.Second}, far)
			r.Watch(0, func() { t.Error("the function was called without a reason") })
			synctest.Wait()
			if r.Begin("GET", []byte(getHead), nil, false, false) != nil {
				return
			}
			synctest.Wait()
			r.peer.Want(getHead)
			r.respondsOK()
			r.leave(true)
		})
	}
}
