package gateway

import (
	"context"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// shut shuts the gateway down within d, and returns how many lost something.
func (r *rig) shut(d time.Duration) <-chan int {
	done := make(chan int, 1)
	ctx, cancel := context.WithTimeout(context.Background(), d)
	go func() {
		defer cancel()
		done <- r.g.Shutdown(ctx)
	}()
	return done
}

func wantCut(t *testing.T, done <-chan int, want int) {
	t.Helper()
	select {
	case cut := <-done:
		if cut != want {
			t.Errorf("%d were cut off, want %d", cut, want)
		}
	case <-time.After(2 * patience):
		t.Fatal("it does not end")
	}
}

// Peers are closed with 1001 after what was received for them, and what they send until they answer goes to their
// services.
func TestShutdown(t *testing.T) {
	t.Parallel()
	onEvery(t, func(t *testing.T, w way) {
		r := newRig(t, w, Config{})
		p, b := r.pair()
		b.say("one")
		p.want("one")
		done := r.shut(patience)
		p.want("close 1001")
		p.say("under way")
		p.end(1001, "")
		p.want("EOF")
		b.want("under way")
		b.wantEOF()
		b.Close()
		r.wantEnd("gateway local 1001")
		wantCut(t, done, 0)
		if status := r.refused("/", websocket.Config{}); status != 503 {
			t.Errorf("behind the end: %d, want 503", status)
		}
	})
}

// A peer that has sent a close frame is answered with its own code.
func TestShutdownOfHalfClosed(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{HalfClose: patience})
	p, b := r.pair()
	p.end(4000, "")
	b.wantEOF()
	done := r.shut(patience)
	p.want("close 4000", "EOF")
	b.Close()
	r.wantEnd("peer closed 4000")
	wantCut(t, done, 0)
}

// A service that is still being dialled is given up.
func TestShutdownWhileDialling(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[2], Config{})
	p := r.dial()
	nc, err := r.service.Accept() // and TLS is not answered
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	done := r.shut(patience)
	p.want("close 1001")
	p.end(1001, "")
	p.want("EOF")
	r.wantEnd("gateway local 1001")
	wantCut(t, done, 0)
}

// A peer or a service that does not take everything is cut off in the end, and counted.
func TestShutdownCuts(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{Linger: 200 * time.Millisecond})
	slow, b := r.pair()
	fill(t, b, func(i int) []byte { return append([]byte("\x00\x01\x00\x00"), numbered(i)...) })
	p, stuck := r.pair()
	fill(t, p, func(i int) []byte {
		return append([]byte("\x82\xff\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), numbered(i)...)
	})
	fine, stays := r.pair()
	go func() { // it answers
		for got := ""; got != "EOF"; {
			if got = fine.next(); got == "close 1001" {
				fine.end(1001, "")
			}
		}
	}()
	wantCut(t, r.shut(400*time.Millisecond), 2)
	b.wantReset()
	stuck.wantReset()
	stays.wantEOF()
	_ = slow
}

// A peer whose upgrade is in progress is closed with 1001.
func TestUpgradeDuringShutdown(t *testing.T) {
	r := newRig(t, ways[0], Config{})
	p := newPeer(r.g, &r.g.cfg.Routes[0], Request{})
	r.g.reserve()
	r.g.mu.Lock()
	r.g.stopping = true
	r.g.mu.Unlock()
	client, _ := websocket.Pipe(websocket.Config{}, p.config())
	if _, _, err := client.ReadMessage(); websocket.CloseStatus(err) != websocket.CloseGoingAway {
		t.Errorf("the peer is told %v", err)
	}
	r.wantEnd("gateway local 1001")
}
