package tcpmux

import (
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// The goroutine that has waited longest is woken first, and one that gives up is removed.
func TestWaitList(t *testing.T) {
	var l waitList
	w := []*waiter{{}, {}, {}, {}}
	for _, x := range w {
		l.push(x)
	}
	for _, i := range []int{1, 3} { // in the middle, and the last
		if !l.remove(w[i]) || l.remove(w[i]) || w[i].next != nil {
			t.Fatalf("waiter %d is not taken out once", i)
		}
	}
	l.push(w[1])
	for _, i := range []int{0, 2, 1} {
		if x := l.pop(); x != w[i] || x.next != nil || l.remove(x) {
			t.Fatalf("waiter %d is not the next", i)
		}
	}
	if l.pop() != nil {
		t.Error("the list has more waiters than were added")
	}
	l.push(w[0])
	if !l.remove(w[0]) || l.first != nil || l.last != nil {
		t.Error("the only waiter was not removed")
	}
}

// A deadline passes once, when it is set to pass, and keeps no timer that is no longer needed.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d deadline
		passed := func() bool {
			select {
			case <-d.expired():
				return true
			default:
				return false
			}
		}
		for _, wait := range []time.Duration{time.Hour, time.Second, time.Minute} {
			d.set(time.Now().Add(time.Hour))
			before := d.timer
			if d.set(time.Now().Add(wait)); before.Stop() || d.exceeded() || passed() {
				t.Fatalf("set to %v: the timer of before runs, or it has passed", wait)
			}
			time.Sleep(wait - 1)
			if d.exceeded() || passed() {
				t.Fatalf("it has passed before %v", wait)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if !d.exceeded() || !passed() {
				t.Fatalf("it has not passed after %v", wait)
			}
		}
		d.set(time.Now().Add(time.Hour))
		expired, changed := d.watch()
		if again, same := d.watch(); again != expired || same != changed || expired != d.expired() {
			t.Error("two goroutines that watch got different channels")
		}
		for _, next := range []time.Time{time.Now().Add(time.Minute), {}, time.Now()} {
			select {
			case <-changed:
				t.Error("the deadline counts as changed")
			default:
			}
			d.set(next)
			select {
			case <-changed:
			default:
				t.Error("a goroutine that watches was not told of the change")
			}
			_, changed = d.watch()
		}
		d.set(time.Now().Add(time.Hour))
		before := d.timer
		if d.set(time.Time{}); before.Stop() || d.exceeded() || d.expired() != nil {
			t.Error("a deadline is left after it was removed")
		}
		if d.set(time.Now()); !d.exceeded() || !passed() || d.timer != nil {
			t.Error("a deadline of now has not passed")
		}
	})
}

// An idle session consists of few small pieces, and each just fits a size class of the allocator.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64 bits")
	}
	for name, size := range map[string]struct{ is, most uintptr }{
		"a session":      {unsafe.Sizeof(Session{}), 208},
		"a connection":   {unsafe.Sizeof(conn{}), 48},
		"a session core": {unsafe.Sizeof(muxsession.Session{}), 352},
	} {
		if size.is > size.most {
			t.Errorf("%s has %d bytes, want at most %d", name, size.is, size.most)
		}
	}
}

// A session without channels is idle, and one with channels, also unaccepted ones, is not.
func TestIdles(t *testing.T) {
	cfg := Config{IdleTimeout: time.Nanosecond}.settings()
	idle := func(prepare func(s *Session)) bool {
		s := newSession(cfg, muxframe.ID{}, secret.Secret{}, cfg.limits(), 0, true)
		s.idle = 1
		prepare(s)
		return s.idleTooLongLocked(int64(time.Hour))
	}
	if !idle(func(s *Session) {}) {
		t.Error("a session without channels is not idle")
	}
	for name, prepare := range map[string]func(s *Session){
		"with a channel":                func(s *Session) { _, _ = s.openLocked("x", &Options{}) },
		"with a channel to be accepted": func(s *Session) { s.accepting.ensure().pending = []*Channel{{}} },
		"closing":                       func(s *Session) { s.closing = true },
		"without IdleTimeout":           func(s *Session) { s.cfg = Config{}.settings() },
		"used just now":                 func(s *Session) { s.idle, s.cfg = 0, Config{IdleTimeout: time.Hour}.settings() },
	} {
		if idle(prepare) {
			t.Errorf("a session %s is idle", name)
		}
	}
}

// Each priority has its class, and a value beyond them has the nearest one.
func TestPriorities(t *testing.T) {
	if PriorityBackground.class() != muxsession.Background || PriorityNormal.class() != muxsession.Normal || PriorityUrgent.class() != muxsession.Urgent ||
		Priority(-9).class() != muxsession.Background || Priority(9).class() != muxsession.Urgent {
		t.Error("a priority has the wrong class")
	}
}
