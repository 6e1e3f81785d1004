package preamble

import (
	"testing"
	"time"
)

// Within a second every response starts with the same bytes, and in the next one with others.
func TestPreamblesFollowTheClock(t *testing.T) {
	p := Cache{Name: "wave"}
	second := time.Date(1994, 11, 6, 9, 49, 37, 0, time.FixedZone("CET", 3600))
	first := p.At(second)
	if got, want := string(first.OK), "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: wave\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(first.OK[:first.Line]) + string(first.Date) + string(first.Server); got != string(first.OK) {
		t.Errorf("its parts are %q", got)
	}
	if p.At(second.Add(999*time.Millisecond)) != first {
		t.Error("a preamble is made anew within its second")
	}
	next := p.At(second.Add(time.Second))
	if got, want := string(next.Date), "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n"; got != want {
		t.Errorf("a second later: %q, want %q", got, want)
	}
	if p.At(second) == next {
		t.Error("the preamble of another second is given out")
	}
}
