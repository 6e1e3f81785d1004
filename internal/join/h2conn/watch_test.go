package h2conn_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// watcher is an owner that implements Watcher.
type watcher struct {
	*owner
	told chan string
	due  chan int64
	next func(now int64) (int64, error)
}

func (w *watcher) ConnEventLocked(ev *http2.Event) { w.told <- said(ev) }

// said returns an event as text.
func said(ev *http2.Event) string {
	return fmt.Sprintf("%d: %d %v %q", ev.Kind, ev.LastStream, ev.Code, ev.Data)
}

func (w *watcher) DueLocked(now int64) (int64, error) {
	w.due <- now
	return w.next(now)
}

// watched returns a rig whose owner is a watcher.
func watched(t *testing.T, w way) (*rig, *watcher) {
	near, far := w.conns(t)
	r := rigOf(t, far, &settings{})
	o := &watcher{owner: r.owner, told: make(chan string, 100), due: make(chan int64, 1000)}
	o.next = func(int64) (int64, error) { return 0, nil }
	r.run(near, o, &settings{})
	return r, o
}

// The watcher gets the peer's frames about the connection, and its resets, and nothing else.
func TestTold(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r, w := watched(t, way)
			r.HelloServer()
			s := r.open(1, false)
			r.data(1, "x", false)
			_ = r.Framer.WriteWindowUpdate(1, 5)
			_ = r.Framer.WriteGoAway(3, xhttp2.ErrCodeInternal, []byte("bye"))
			s.locked(func() { r.WireLocked().Ping(1) })
			r.Draw()
			_ = r.Framer.WriteRSTStream(1, xhttp2.ErrCodeCancel)
			r.WantIdle()
			for _, want := range []http2.Event{
				{Kind: http2.EventSettings}, {Kind: http2.EventSettingsAck},
				{Kind: http2.EventGoAway, LastStream: 3, Code: http2.ErrCodeInternal, Data: []byte("bye")},
				{Kind: http2.EventReset, Code: http2.ErrCodeCancel}, {Kind: http2.EventPong},
			} {
				if got := wiretest.Within(t, "an event", w.told); got != said(&want) {
					t.Errorf("got %s, want %s", got, said(&want))
				}
			}
			if len(w.told) > 0 {
				t.Errorf("%s besides", <-w.told)
			}
			s.leave()
		})
	}
}

// DueLocked is called at the time given to ArmLocked and not before, and again at the time that it returns.
func TestDue(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r, w := watched(t, way)
			r.HelloServer()
			r.Lock()
			start := r.Now()
			w.next = func(now int64) (int64, error) {
				if now < start+int64(3*time.Second) {
					return start + int64(3*time.Second), nil
				}
				return 0, nil
			}
			r.ArmLocked(start + int64(time.Hour))
			r.ArmLocked(start + int64(time.Second)) // the earlier one counts
			r.ArmLocked(start + int64(time.Minute))
			r.Unlock()
			for _, at := range []time.Duration{time.Second, 3 * time.Second} {
				r.passes(at - time.Duration(r.Now()-start) - 50*time.Millisecond)
				if len(w.due) > 0 {
					t.Fatalf("DueLocked was called before %v", at)
				}
				if now := time.Duration(until(r, "Due", w.due) - start); now < at || now > at+time.Second {
					t.Errorf("asked at %v, want %v", now, at)
				}
			}
			r.passes(5 * time.Second)
			if len(w.due) > 0 {
				t.Error("DueLocked was called again after it had returned never")
			}
		})
	}
}

// An error of DueLocked ends the connection and all its streams, and the peer is sent GOAWAY.
func TestDueEnds(t *testing.T) {
	mine := errors.New("mine")
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r, w := watched(t, way)
			r.HelloServer()
			s := r.open(1, false)
			waits := s.fills()
			r.Lock()
			w.next = func(int64) (int64, error) { return 0, mine }
			r.ArmLocked(r.Now() + int64(time.Second))
			r.Unlock()
			r.clock.Advance(time.Second)
			wiretest.Eventually(t, "Fill", func() bool { r.clock.Advance(10 * time.Millisecond); return len(waits) > 0 })
			if got := <-waits; got.err != mine {
				t.Errorf("got %v", got.err)
			}
			r.Want("GOAWAY 1 NO_ERROR")
			r.WantEOF()
			if err := wiretest.Within(t, "Over", r.over); err != mine {
				t.Errorf("got %v", err)
			}
			if err := s.send([]byte("x"), true); err != mine {
				t.Errorf("got %v", err)
			}
			s.leave()
			if n := len(w.due); n != 1 {
				t.Errorf("DueLocked was called %d times", n)
			}
		})
	}
}
