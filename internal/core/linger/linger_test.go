package linger

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

const soon = time.Minute

// The peer can read the whole response although it was still sending, however its bytes come.
func TestDrain(t *testing.T) {
	for _, split := range []wiretest.Split{nil, wiretest.EveryByte, wiretest.Random(1)} {
		near, far := wiretest.Pipe(wiretest.Config{Split: split, Buffer: 100}, wiretest.Config{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			io.WriteString(near, "go away")
			Drain(near, 1<<20, time.Now().Add(soon))
			near.Close()
		}()
		peer := wiretest.NewTalk(t, far)
		peer.Send(strings.Repeat("x", 5000))
		if got := peer.Rest(); got != "go away" {
			t.Errorf("got %q", got)
		}
		peer.Close()
		<-done
	}
}

// Draining is bounded in bytes and in time.
func TestDrainIsBounded(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	defer near.Close()
	defer far.Close()
	io.WriteString(far, strings.Repeat("x", 1000))
	Drain(near, 999, time.Now().Add(soon))
	rest := make([]byte, 10)
	if n, err := near.Read(rest); n != 1 || err != nil {
		t.Errorf("%d bytes are left, %v", n, err)
	}
	Drain(near, 1, time.Now().Add(-1)) // without a bound it would wait for ever
}

// If our half cannot be closed alone, draining does not wait.
func TestDrainNeedsHalves(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	defer far.Close()
	Drain(struct{ net.Conn }{near}, 1, time.Now().Add(soon))
	near.Close()
	Drain(near, 1, time.Now().Add(soon))
}
