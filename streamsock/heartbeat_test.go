package streamsock

import (
	"testing"
	"time"
)

// A message must arrive at the minimum rate, and pauses that are not the peer's do not count.
func TestPace(t *testing.T) {
	const start, span = int64(time.Hour), int64(rateGrace)
	const least = int(leastRate * rateGrace / time.Second)
	a := new(rateCheck)
	wants := func(name string, now int64, late, underWay bool) {
		t.Helper()
		if l, u := a.tooSlow(now, leastRate); l != late || u != underWay {
			t.Errorf("%s: late %v, under way %v", name, l, u)
		}
	}
	begins := func(now int64) {
		t.Helper()
		if !a.received(now, 1<<20, false) { // what came with the beginning may be others'
			t.Error("the first bytes of a message do not start the check of its rate")
		}
	}
	wants("no message", start, false, false)
	begins(start)
	wants("before the span is over", start+span-1, false, true)
	wants("nothing in the span", start+span, true, true)
	begun := start + span
	if a.received(begun, least-1, false) {
		t.Error("the check starts twice for one message")
	}
	wants("a byte too few", begun+span, true, true)
	begun += span
	a.received(begun, least, false)
	wants("just enough", begun+span, false, true)
	begun += span
	wants("what came before counts once", begun+span, true, true)
	begun += span
	a.received(begun, least, false)
	wants("a longer span", begun+span+int64(time.Second), true, true)
	if a.received(start, 1, true) {
		t.Error("the end of a message starts a check")
	}
	wants("between two", begun+10*span, false, false)
	a.pause(span)
	wants("a pause between two", begun+10*span, false, false)
	begins(start)
	a.pause(span)
	wants("a pause in it", start+2*span-1, false, true)
	wants("a pause that is over", start+2*span, true, true)
}
