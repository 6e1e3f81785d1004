package backlog

import (
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/budget"
)

// A line without a connection's messages may be nil: nothing waits in it, and it refuses nothing.
func TestNil(t *testing.T) {
	var l *Line
	if n, bytes := l.Waiting(); n != 0 || bytes != 0 || l.Moving() || l.Ending() || l.Dropped() != 0 || l.Err() != nil {
		t.Error("something is in no line")
	}
}

// Messages are dropped until a new one has room by number, bytes and memory; a single one always has.
func TestBytes(t *testing.T) {
	for name, l := range map[string]Limits{
		"bytes":  {Policy: DropOldest, Messages: 100, Bytes: 10},
		"memory": {Policy: DropOldest, Messages: 100, Bytes: 100, Memory: budget.New(10)},
		"keys":   {Policy: LatestPerKey, Messages: 100, Bytes: 10},
	} {
		r := newRig(t, l)
		r.add("", "first", nil)
		r.add("", "other", nil)
		if n, bytes := r.Waiting(); n != 2 || bytes != 10 || r.Dropped() != 0 {
			t.Errorf("%s: %d messages of %d bytes, %d dropped", name, n, bytes, r.Dropped())
		}
		r.add("", "x", nil)
		if n, bytes := r.Waiting(); n != 2 || bytes != 6 || r.Dropped() != 1 {
			t.Errorf("%s: %d messages of %d bytes, %d dropped", name, n, bytes, r.Dropped())
		}
		r.add("", strings.Repeat("y", 20), nil)
		if n, bytes := r.Waiting(); n != 1 || bytes != 20 || r.Dropped() != 3 {
			t.Errorf("%s: %d messages of %d bytes, %d dropped", name, n, bytes, r.Dropped())
		}
		r.Close()
	}
}

// A message replaces that of its key, unless it has no room there: then it goes to the end, and others are dropped for it.
func TestReplace(t *testing.T) {
	r := newRig(t, Limits{Policy: LatestPerKey, Messages: 100, Bytes: 10})
	r.add("a", "1", nil)
	r.add("b", "2", nil)
	r.add("c", "3", nil)
	r.add("a", "12345678", nil)
	if n, bytes := r.Waiting(); n != 3 || bytes != 10 {
		t.Errorf("%d messages of %d bytes", n, bytes)
	}
	r.add("b", "1234", nil)
	if n, bytes := r.Waiting(); n != 2 || bytes != 5 || r.memory.Used() != 5 {
		t.Errorf("%d messages of %d bytes, %d are counted", n, bytes, r.memory.Used())
	}
	r.move(9, Stands, "3 1234")
	if r.Dropped() != 3 {
		t.Errorf("%d were dropped", r.Dropped())
	}
}

// When sending fails, the line is empty, its turns are over, and the first reason is that of all later messages.
func TestFail(t *testing.T) {
	r := newRig(t, Limits{Messages: 10, Bytes: 100})
	r.add("", "a", nil)
	turn := r.AddTurn()
	r.add("", "b", nil)
	failed := errors.New("failed")
	if got := r.Move(func(*Item) (bool, error) { return false, failed }); got != Stands || r.Moving() {
		t.Errorf("%v, moving: %t", got, r.Moving())
	}
	<-turn
	r.Fail(errors.New("later"))
	r.add("", "c", failed)
	if n, bytes := r.Waiting(); n != 0 || bytes != 0 || r.memory.Used() != 0 || r.Len() != 0 {
		t.Errorf("%d messages of %d bytes are left, %d are counted", n, bytes, r.memory.Used())
	}
}

// Close drops what waits and returns the last frame, which is to be sent past it.
func TestClose(t *testing.T) {
	r := newRig(t, Limits{Messages: 10, Bytes: 100})
	r.add("", "a", nil)
	if last := r.Close(); last != nil || r.Len() != 0 || r.Dropped() != 1 {
		t.Errorf("%q, %d dropped", last, r.Dropped())
	}
	r.add("", "b", net.ErrClosed)
	r = newRig(t, Limits{Messages: 10, Bytes: 100})
	r.add("", "a", nil)
	r.AddLast([]byte("end"))
	if last := r.Close(); string(last) != "end" || r.memory.Used() != 0 {
		t.Errorf("%q", last)
	}
}

// A frame that is much smaller than its buffer waits in memory of its own size.
func TestShrink(t *testing.T) {
	for _, c := range []struct{ size, room, want int }{{100, 4096, 100}, {2048, 4096, 4096}, {10, 1024, 1024}} {
		p := Item{Frame: append(make([]byte, 0, c.room), strings.Repeat("x", c.size)...)}
		if p.shrink(); cap(p.Frame) != c.want || string(p.Frame) != strings.Repeat("x", c.size) {
			t.Errorf("%d bytes of %d wait in %d, want %d", c.size, c.room, cap(p.Frame), c.want)
		}
	}
}

// A sender that waits for room goes on as soon as there is some, and fails when the line does.
func TestBlockWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{Messages: 2, Bytes: 100})
		results := make(chan error, 1)
		add := func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			results <- r.Add(item("", "c"), true)
		}
		wait := func() {
			r.mu.Unlock()
			synctest.Wait()
			r.mu.Lock()
		}
		r.add("", "a", nil)
		r.add("", "b", nil)
		go add()
		wait()
		if len(results) != 0 {
			t.Error("it has not waited")
		}
		r.move(1, Full, "a")
		if wait(); len(results) != 1 || <-results != nil {
			t.Error("it does not go on, or fails")
		}
		failed := errors.New("failed")
		for name, end := range map[string]func(){"failed": func() { r.Fail(failed) }, "ending": func() { r.AddLast(nil) }} {
			r.Close()
			r.ending, r.err = false, nil
			r.add("", "a", nil)
			r.add("", "b", nil)
			go add()
			wait()
			end()
			if wait(); len(results) != 1 {
				t.Fatalf("%s: it waits on", name)
			}
			if err := <-results; err == nil || err != r.Err() {
				t.Errorf("%s: %v, want %v", name, err, r.Err())
			}
		}
	})
}
