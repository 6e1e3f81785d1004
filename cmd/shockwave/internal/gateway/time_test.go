package gateway

import (
	"io"
	"strings"
	"testing"
	"time"
)

// A service that does not end is cut off after Config.Linger.
func TestLinger(t *testing.T) {
	onEvery(t, func(t *testing.T, w way) {
		r := newRig(t, w, Config{Linger: 2 * tick})
		p, b := r.pair()
		p.say("last")
		p.Close()
		b.want("last")
		b.wantEOF()
		r.wantEnd("peer truncated 1006")
	})
}

// A message from either side starts Config.Idle anew.
func TestIdleCountsFromTheLastMessage(t *testing.T) {
	t.Parallel()
	const idle = 2 * time.Second
	for _, from := range []string{"peer", "service"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ways[0], Config{Idle: idle})
			p, b := r.pair()
			time.Sleep(idle / 2)
			last := time.Now()
			if from == "peer" {
				p.say("still here")
				b.want("still here")
			} else {
				b.say("still here")
				p.want("still here")
			}
			p.want("close 1001 idle")
			if d := time.Since(last); d < idle {
				t.Errorf("it ends %v after a message, want %v", d, idle)
			}
			p.end(1001, "")
			b.wantEOF()
		})
	}
}

// A service that takes a little now and then is not cut off, and gets everything.
func TestStallCountsFromTheLastProgress(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{Stall: time.Second, MaxMessage: 64 << 20})
	p, b := r.pair()
	const size = 48 << 20
	go p.Write([]byte("\x82\xff\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("x", size)))
	got := int64(0)
	for range 12 { // three times as long as it may take nothing
		n, err := io.CopyN(io.Discard, b, 1<<20)
		if got += n; err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
		time.Sleep(250 * time.Millisecond)
	}
	if n, err := io.CopyN(io.Discard, b, size+4-got); err != nil {
		t.Fatalf("after %d bytes: %v", got+n, err)
	}
	p.end(1000, "")
	b.wantEOF()
}

// A peer that has sent a close frame is answered after Config.HalfClose, and gets the messages until then.
func TestHalfCloseIsBounded(t *testing.T) {
	t.Parallel()
	const half = moment
	r := newRig(t, ways[0], Config{HalfClose: half})
	p, b := r.pair()
	began := time.Now()
	p.end(1000, "")
	b.wantEOF()
	b.say("one", "two")
	p.want("one", "two", "close 1000", "EOF")
	if d := time.Since(began); d < half {
		t.Errorf("answered after %v, want %v", d, half)
	}
	b.Close()
	r.wantEnd("peer closed 1000")
}
