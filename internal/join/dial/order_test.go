package dial

import (
	"strings"
	"testing"
	"time"
)

// wantFirst dials and wants these addresses tried, the last of which opens.
func (w *world) wantFirst(ips ...string) {
	w.t.Helper()
	w.reaches("example.com:443", ips[len(ips)-1])
	var got []string
	for _, line := range w.tried {
		_, ip, _ := strings.Cut(line, " ")
		got = append(got, ip)
	}
	if w.tried = nil; strings.Join(got, " ") != strings.Join(ips, " ") {
		w.t.Errorf("tried %s, want %s", got, ips)
	}
}

// Each dial starts with another address of the family that the resolver prefers.
func TestSpread(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "2001:db8::1 2001:db8::2 2001:db8::3 192.0.2.1 192.0.2.2"
		w.accept("2001:db8::1", "2001:db8::2", "2001:db8::3")
		for _, ip := range []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::1", "2001:db8::2"} {
			w.wantFirst(ip)
		}
		time.Sleep(time.Hour) // a new answer
		w.wantFirst("2001:db8::3")
		w.wantAsked("0s example.com", "1h0m0s example.com")
	})
}

// An address that has failed is tried last for a while, with the next answer as well.
func TestFailedLast(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Keep = 10 * time.Second
		w.names["example.com"] = "192.0.2.1 192.0.2.2 192.0.2.3"
		w.refuse("192.0.2.1")
		w.accept("192.0.2.2", "192.0.2.3")
		w.wantFirst("192.0.2.1", "192.0.2.2")
		w.wantFirst("192.0.2.3")
		w.wantFirst("192.0.2.2")
		w.names["example.com"] = "192.0.2.3 192.0.2.1 192.0.2.2"
		time.Sleep(demoteFor - 1)
		w.wantFirst("192.0.2.2")
		w.wantFirst("192.0.2.3")
		w.refuse("192.0.2.2", "192.0.2.3")
		delete(w.refuses, "192.0.2.1")
		w.accept("192.0.2.1")
		w.wantFirst("192.0.2.2", "192.0.2.3", "192.0.2.1") // last, but tried
		w.wantFirst("192.0.2.1")                           // it is as good as any since
		time.Sleep(demoteFor)
		delete(w.refuses, "192.0.2.2")
		delete(w.refuses, "192.0.2.3")
		w.wantFirst("192.0.2.1")
		w.wantFirst("192.0.2.2")
		w.wantFirst("192.0.2.3")
	})
}

// An address that was slower than a later one is tried last for a while.
func TestOvertaken(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "2001:db8::1 192.0.2.1"
		w.accept("192.0.2.1")
		w.wantFirst("2001:db8::1", "192.0.2.1")
		w.wantFirst("192.0.2.1")
		time.Sleep(demoteFor)
		w.wantFirst("2001:db8::1", "192.0.2.1")
	})
}

// An address that had too little time, or that connected late, is not tried last.
func TestNotOvertaken(t *testing.T) {
	inWorld(t, func(w *world) {
		w.names["example.com"] = "192.0.2.1 2001:db8::1 192.0.2.2"
		w.opens["192.0.2.1"] = attemptDelay + 10*time.Millisecond
		w.reaches("example.com:443", "192.0.2.1")
		w.wantTried("0s 192.0.2.1", "250ms 2001:db8::1")
		w.wantFirst("192.0.2.2", "2001:db8::1", "192.0.2.1")
	})
	inWorld(t, func(w *world) {
		w.names["example.com"] = "2001:db8::1 192.0.2.1"
		w.opens["2001:db8::1"] = attemptDelay + 10*time.Millisecond
		for range 2 {
			w.reaches("example.com:443", "2001:db8::1")
		}
		w.wantTried("0s 2001:db8::1", "250ms 192.0.2.1", "260ms 2001:db8::1", "510ms 192.0.2.1")
	})
}
