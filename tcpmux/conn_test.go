package tcpmux

import (
	"bytes"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// stalling is a connection whose writes wait for their deadline after full was closed.
type stalling struct {
	net.Conn
	full, late chan struct{}
	once       *sync.Once
}

func (c stalling) Write(p []byte) (int, error) {
	select {
	case <-c.full:
		<-c.late
		return 0, os.ErrDeadlineExceeded
	default:
		return c.Conn.Write(p)
	}
}

func (c stalling) SetWriteDeadline(t time.Time) error {
	if !t.IsZero() && t.Before(time.Now()) {
		c.once.Do(func() { close(c.late) })
	}
	return nil
}

// A connection that takes no output for twice PingInterval breaks, however much the peer sends.
func TestPeerTakesNothing(t *testing.T) {
	r := newHall(t, Config{})
	broken := make(chan error, 1)
	r.d.cfg = Config{
		PingInterval: 50 * time.Millisecond, AtMostOnce: true, OnBroken: func(_ *Session, err error) { broken <- err },
	}.settings()
	h, s, _ := r.begin()
	full := make(chan struct{})
	err := dialEngine().Run(stalling{h.Conn, full, make(chan struct{}), new(sync.Once)}, nil, func(nc *netconn.Conn) (netconn.Protocol, error) {
		s.mu.Lock()
		defer s.unlock()
		c := s.attachLocked(nc, 0)
		s.cfg.PingInterval = time.Hour // no silence is too long
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	close(full)
	x, err := s.Open("x")
	if err == nil {
		err = x.Send(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-broken:
		if err != errStalled {
			t.Errorf("broken: got %v, want %v", err, errStalled)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the connection has not ended")
	}
	<-s.Done()
}

// A ping that was lost with a connection is sent again on the next one.
func TestPingOverABreak(t *testing.T) {
	r := newHall(t, Config{PingInterval: -1})
	h, a, b := r.begin()
	took := make(chan time.Duration, 1)
	go func() {
		d, err := b.Ping(t.Context())
		if err != nil {
			t.Error(err)
		}
		took <- d
	}()
	for range 2 {
		if ping := r.read(h, 9); ping[0] != 0x90 {
			t.Fatalf("% x", ping)
		}
		h.Close()
		b.until(t, "it is broken, and waited for", func() bool { return b.conn == nil && b.pingers.first != nil })
		var p secret.Proof
		h, p = r.resume(a)
		if _, err := r.prove(h, p, 0); err != nil {
			t.Fatal(err)
		}
	}
	ping := r.read(h, 9)
	if ping[0] != 0x90 || len(took) != 0 {
		t.Fatalf("% x", ping)
	}
	ping[0] = 0xa0
	if _, err := h.Write(ping); err != nil {
		t.Fatal(err)
	}
	if d := <-took; d <= 0 {
		t.Errorf("got %v, want more than 0", d)
	}
}

// The alarm is set for the next time at which something is due, and not earlier.
func TestAlarmIsFar(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg         Config
		least, most time.Duration // 0: never
	}{
		"nothing":                   {Config{PingInterval: -1}, 0, 0},
		"keepalive":                 {Config{PingInterval: time.Hour}, 59 * time.Minute, time.Hour},
		"idle":                      {Config{PingInterval: -1, IdleTimeout: time.Hour}, 29 * time.Minute, 31 * time.Minute},
		"both":                      {Config{PingInterval: 10 * time.Minute, IdleTimeout: time.Hour}, 9 * time.Minute, 10 * time.Minute},
		"idle, and keepalive later": {Config{PingInterval: 2 * time.Hour, IdleTimeout: time.Hour}, 29 * time.Minute, 31 * time.Minute},
	} {
		r := newHall(t, tc.cfg)
		_, _, b := r.begin()
		b.until(t, "it is connected", func() bool { return b.conn != nil })
		b.locked(func() {
			c, in := b.conn, time.Duration(0)
			c.alarmAt = 0
			c.setAlarmLocked()
			if c.alarmAt != 0 {
				in = time.Duration(c.alarmAt - c.nc.Moment())
			}
			if in < tc.least || in > tc.most {
				t.Errorf("%s: the next look is in %v", name, in)
			}
			at := c.alarmAt
			if c.setAlarmLocked(); c.alarmAt != at {
				t.Errorf("%s: the look is put off", name)
			}
		})
	}
}

// The bytes of a message that are appended and those that are lent make up the message, in order.
func TestLend(t *testing.T) {
	r := newHall(t, Config{})
	_, _, b := r.begin()
	b.until(t, "it is connected", func() bool { return b.conn != nil })
	x, err := b.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	p := bytes.Repeat([]byte("0123456789"), 20_000)
	b.mu.Lock()
	own := b.conn
	c := &conn{s: b, nc: own.nc} // which nobody else draws from
	b.conn = c
	done := b.core.Send(&x.core, &muxsession.Send{P: p})
	b.mu.Unlock()
	var out []byte
	for more := true; more; {
		var lent [][]byte
		out, lent, more = c.Lend(out, make([][]byte, 0, 4), 1<<20)
		out = append(out, bytes.Join(lent, nil)...)
	}
	b.mu.Lock()
	b.conn = own
	b.mu.Unlock()
	var got []byte
	for rest := out; len(rest) > 0; { // pieces stand behind their heads
		i := bytes.IndexByte(rest, p[len(got)%len(p)])
		if i < 0 {
			break
		}
		n := 0
		for i+n < len(rest) && len(got)+n < len(p) && rest[i+n] == p[len(got)+n] {
			n++
		}
		got, rest = append(got, rest[i:i+n]...), rest[i+n:]
	}
	if !done || !bytes.Equal(got, p) {
		t.Errorf("%v: %d bytes of %d", done, len(got), len(p))
	}
}
