package gateway

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Each time limit of Config ends what it bounds.
func TestBoundsAreKept(t *testing.T) {
	const bound = 300 * time.Millisecond
	for name, test := range map[string]struct {
		cfg  Config
		wait func(r *rig, p *remote, b *backend)
	}{
		"Idle": {Config{Idle: bound}, func(_ *rig, p *remote, _ *backend) { p.want("close 1001 idle") }},
		"HalfClose": {Config{HalfClose: bound}, func(_ *rig, p *remote, _ *backend) {
			p.end(1000, "")
			p.want("close 1000")
		}},
		"Linger": {Config{Linger: bound}, func(r *rig, p *remote, _ *backend) {
			p.say("last")
			p.Close()
			r.wantEnd("peer truncated 1006")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ways[0], test.cfg)
			wiretest.InTime(t, bound, func() func() {
				p, b := r.pair()
				return func() { test.wait(r, p, b) }
			})
		})
	}
}

// Config.Stall counts from the last byte that the service has taken.
func TestStallIsKept(t *testing.T) {
	const bound = 300 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	piece := make([]byte, 1<<20)
	for n := 1; n > 0; { // until even the system takes nothing for a while; it may still take a little at times
		nc.SetWriteDeadline(time.Now().Add(2 * bound))
		n, _ = nc.Write(piece)
	}
	c := &stallConn{nc.(*net.TCPConn), bound}
	wiretest.InTime(t, bound, func() func() {
		return func() {
			if _, err := c.Write(piece); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
		}
	})
}
