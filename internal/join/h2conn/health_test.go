package h2conn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A silent peer is sent one PING, and the connection ends if nothing arrives in time. Any frame counts as an answer.
func TestHealth(t *testing.T) {
	near, far := ways[0].conns(t)
	r := begin(t, near, far, settings{})
	r.HelloServer()
	const second = int64(time.Second)
	for _, timeout := range []time.Duration{0, 3 * time.Second} {
		h := h2conn.Health{Interval: 10 * time.Second, Timeout: timeout}
		wait := int64(timeout)
		if wait == 0 {
			wait = 15 * second
		}
		r.Lock()
		for _, step := range []struct {
			now, next int64
			silent    bool
		}{
			{109 * second, 110 * second, false},
			{110 * second, 110*second + wait, false}, // asked
			{111 * second, 110*second + wait, false},
			{109*second + wait, 110*second + wait, false},
			{110*second + wait, 0, true},
		} {
			if step.now == 109*second {
				h.HeardLocked(100 * second)
			}
			if next, silent := h.DueLocked(&r.Conn, step.now); next != step.next || silent != step.silent {
				t.Errorf("at %v: %v, %v", time.Duration(step.now), time.Duration(next), silent)
			}
			if said := r.WireLocked().AppendPending(nil); (len(said) > 0) != (step.now == 110*second) {
				t.Errorf("at %v: sent %q", time.Duration(step.now), said)
			}
		}
		h.HeardLocked(200 * second)
		if next, silent := h.DueLocked(&r.Conn, 201*second); next != 210*second || silent {
			t.Errorf("after an answer: %v, %v", time.Duration(next), silent)
		}
		r.Unlock()
	}
	var never h2conn.Health
	if next, silent := never.DueLocked(&r.Conn, 1<<60); next != 0 || silent {
		t.Errorf("without After: %v, %v", next, silent)
	}
}

// An unanswered PING is counted.
func TestHealthIsCounted(t *testing.T) {
	r, counted := counting(t, ways[0], http2.Config{})
	r.HelloServer()
	h := h2conn.Health{Interval: time.Second, Timeout: time.Second}
	r.Lock()
	h.HeardLocked(int64(time.Second))
	_, early := h.DueLocked(&r.Conn, 2*int64(time.Second))
	_, silent := h.DueLocked(&r.Conn, 3*int64(time.Second))
	r.Unlock()
	if early || !silent {
		t.Errorf("silent: %v, then %v", early, silent)
	}
	_ = r.Framer.WritePing(false, [8]byte{}) // the end is reported together with it
	if got := wiretest.Within(t, "the count", counted); got != "conn_close_lost_ping" {
		t.Errorf("counted %q", got)
	}
}
