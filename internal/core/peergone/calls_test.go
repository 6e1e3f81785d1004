package peergone

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// TestCalls: each function is called once when the peer goes, or at once behind that, and one that was stopped is not.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(Calls)
		var called [4]int
		var stops [4]Call
		for i := range called {
			stops[i] = c.Add(Func{F: func() { called[i]++ }})
		}
		if !c.Any() || c.Made() {
			t.Error("nothing waits, or the peer has gone")
		}
		if !stops[1].Stop() || stops[1].Stop() || !stops[3].Stop() || !stops[0].Stop() || new(Call).Stop() {
			t.Error("a call can be stopped once, and none cannot")
		}
		c.Make()
		c.Make()
		synctest.Wait()
		if called != [4]int{0, 0, 1, 0} || c.Any() || !c.Made() {
			t.Errorf("called %v", called)
		}
		if stops[2].Stop() {
			t.Error("a call that was made was stopped")
		}
		late := c.Add(Func{F: func() { called[2]++ }})
		synctest.Wait()
		if called[2] != 2 || late.Stop() || c.Any() {
			t.Errorf("behind the end: called %d times", called[2])
		}
	})
}

// TestInline: an inline function has returned when Make has, and may use the Calls; others wait for nobody.
func TestInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(Calls)
		order, goOn := "", make(chan bool)
		c.Add(Func{F: func() { <-goOn }})
		c.Add(Func{Inline: true, F: func() {
			order += "first "
			c.Add(Func{Inline: true, F: func() { order += "second " }})
		}})
		c.Make()
		order += "returned"
		close(goOn)
		if order != "first second returned" {
			t.Errorf("%s", order)
		}
	})
}

// TestClear: functions that were dropped are not called.
func TestClear(t *testing.T) {
	c := new(Calls)
	call := c.Add(Func{Inline: true, F: func() { t.Error("called") }})
	c.Clear()
	if c.Make(); call.Stop() {
		t.Error("it was still kept")
	}
	var none *Calls
	none.Clear()
	none.Make()
	if none.Made() {
		t.Error("the peer of nobody has gone")
	}
}

// TestMakeWaitsForInlineCalls: a second Make returns only when the functions that the first one calls have returned.
func TestMakeWaitsForInlineCalls(t *testing.T) {
	w := new(Calls)
	begun, goOn, first, second := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	w.Add(Func{Inline: true, F: func() {
		begun <- true
		<-goOn
	}})
	go func() {
		defer close(first)
		w.Make()
	}()
	wiretest.Within(t, "the callback", begun)
	go func() {
		defer close(second)
		w.Make()
	}()
	select {
	case <-second:
		t.Error("the second does not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(goOn)
	wiretest.Within(t, "the first", first)
	wiretest.Within(t, "the second", second)
}
