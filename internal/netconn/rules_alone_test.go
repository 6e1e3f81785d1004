package netconn

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestSettlingDoesNotSend: what is written while a reader settles is left pending for what comes next, which does not
// wait for the transport.
func TestSettlingDoesNotSend(t *testing.T) {
	near, far := net.Pipe() // takes nothing that nobody reads
	defer far.Close()
	e := New(Config{})
	defer e.Close()
	c, err := e.Pull(near, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Finish(ErrAbort)
	if c.Alone(1) == nil {
		t.Fatal("somebody else is alone")
	}
	if _, err := c.Write([]byte("unit")); err != nil {
		t.Fatal(err)
	}
	if c.reopen() || c.Pending() != len("unit") {
		t.Fatalf("%d bytes are pending", c.Pending())
	}
	if c.Alone(1) != nil {
		t.Fatal("the short way is open although something is pending")
	}
	if err := c.pushPending(); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("unit"))
	if _, err := io.ReadFull(far, got); err != nil || string(got) != "unit" {
		t.Fatalf("%q, %v", got, err)
	}
}

// TestSlowPeersOfWhoIsAlone: who takes nothing, and who takes little at a time, is given up.
func TestSlowPeersOfWhoIsAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg   Config
		pause time.Duration // between bytes that the peer takes, 0 if it takes none
	}{
		"nothing": {Config{WriteTimeout: 30 * time.Millisecond, MinWriteRate: -1}, 0},
		"little":  {Config{MinWriteRate: 1 << 20, RateGrace: 60 * time.Millisecond}, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			e := New(tc.cfg)
			defer e.Close()
			c, err := e.Pull(near, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Finish(ErrAbort)
			read := make(chan struct{})
			go func() {
				defer close(read)
				for b := make([]byte, 1); tc.pause > 0; time.Sleep(tc.pause) {
					if _, err := far.Read(b); err != nil {
						return
					}
				}
			}()
			units := 0
			for ; err == nil && units < 1000; units++ {
				unit := c.Alone(1)
				if unit == nil {
					t.Fatal("the short way is not open")
				}
				err = c.SendAlone(append(unit, 'x'))
			}
			if err != ErrSlow || (units > 1) != (tc.pause > 0) {
				t.Errorf("after %d units: %v", units, err)
			}
			far.Close()
			<-read
		})
	}
}
