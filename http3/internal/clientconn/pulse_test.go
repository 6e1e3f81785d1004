package clientconn

import (
	"testing"
	"time"
)

// A silent server is pinged once after PingInterval and given up PingTimeout later; any packet starts the time again.
func TestPulse(t *testing.T) {
	p := pulse{after: 8 * time.Second, timeout: 4 * time.Second} // so it is looked at once a second
	asks, may := 0, true
	ask := func() bool { asks++; return may }
	look := func(times int, heard uint64, want pulseState) {
		t.Helper()
		for range times {
			p.look(heard, ask)
		}
		if p.state != want {
			t.Fatalf("state %d, want %d", p.state, want)
		}
	}
	if !p.begin(1) || p.begin(1) {
		t.Fatal("it is begun once")
	}
	look(7, 1, listening)
	look(1, 1, asked)
	look(3, 1, asked)
	look(1, 2, listening) // a packet
	may = false
	look(9, 2, listening) // nothing can be asked
	may = true
	look(1, 2, asked)
	look(4, 2, lost)
	if asks != 4 {
		t.Errorf("asked %d times, want 4", asks)
	}
	p.rest()
	if !p.begin(2) {
		t.Error("it cannot begin again")
	}
	if never := (pulse{after: -1}); never.begin(0) {
		t.Error("a server that is never asked is listened to")
	}
}
