package h1client_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

var _ net.Conn = (*h1client.Tunnel)(nil)

// tunnel makes a tunnel, and sends bytes right behind the head.
func (r *rig) tunnel(method, head string, status int) *h1client.Tunnel {
	r.t.Helper()
	r.begin(method)
	r.peer.Send(head + "early ")
	r.status(status)
	tun := r.Tunnel()
	r.leave(false)
	return tun
}

func (r *rig) upgraded() *h1client.Tunnel {
	r.t.Helper()
	return r.tunnel("GET", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", 101)
}

func reads(t testing.TB, rd io.Reader, want string) {
	t.Helper()
	p := make([]byte, len(want))
	if n, err := io.ReadFull(rd, p); err != nil || string(p) != want {
		t.Fatalf("%q, %v; want %q", p[:n], err, want)
	}
}

// A tunnel carries bytes in both directions, and its halves end one by one.
func TestTunnel(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, upgrade := range []bool{true, false} {
			r := plainRig(t, k)
			var tun *h1client.Tunnel
			if upgrade {
				tun = r.upgraded()
			} else {
				tun = r.tunnel("CONNECT", "HTTP/1.1 200 Fine\r\n\r\n", 200)
			}
			if len(r.over) > 0 {
				t.Error("the connection is over")
			}
			r.peer.Send("late")
			reads(t, tun, "early late")
			if _, err := tun.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			r.peer.Want("hello")
			if err := tun.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if _, err := tun.Write([]byte("more")); err == nil {
				t.Error("a write after the end succeeded")
			}
			r.peer.WantEOF()
			r.peer.Send("bye")
			r.peer.Close()
			if b, err := io.ReadAll(tun); string(b) != "bye" || err != nil {
				t.Errorf("%q, %v", b, err)
			}
			if err := tun.Close(); err != nil {
				t.Error(err)
			}
			if err := tun.Close(); err != net.ErrClosed {
				t.Error(err)
			}
			if _, err := tun.Read(make([]byte, 1)); err != net.ErrClosed {
				t.Error(err)
			}
		}
	})
}

// Close ends a read that waits, and the server sees the end.
func TestTunnelClose(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		tun := r.upgraded()
		reads(t, tun, "ea")
		_ = tun.SetReadDeadline(r.Link().Wall()) // the rest has arrived
		if n, err := tun.Read(make([]byte, 9)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read %d bytes, %v", n, err)
		}
		_ = tun.SetReadDeadline(time.Time{})
		reads(t, tun, "rly ")
		read := later(func() error { _, err := tun.Read(make([]byte, 1)); return err })
		time.Sleep(time.Millisecond)
		if err := tun.Close(); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "Read", read); err != net.ErrClosed {
			t.Error(err)
		}
		r.peer.WantGone()
		wiretest.Within(t, "the end", r.over)
		r.over <- r.Conn
		r.Abort() // which finds nothing
	})
}

// Reads can go on after their deadline; writes cannot.
func TestTunnelDeadlines(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		tun := r.upgraded()
		defer func() { _ = tun.Close() }()
		reads(t, tun, "early ")
		_ = tun.SetReadDeadline(r.Link().Wall().Add(time.Minute))
		read := later(func() error { _, err := tun.Read(make([]byte, 1)); return err })
		wiretest.Eventually(t, "the read to end", func() bool { r.clock.Advance(time.Second); return len(read) > 0 })
		if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		_ = tun.SetDeadline(time.Time{})
		r.peer.Send("late")
		reads(t, tun, "late")
		_ = tun.SetDeadline(r.Link().Wall().Add(time.Minute))
		wrote := later(func() error { _, err := tun.Write([]byte(strings.Repeat("x", 50<<20))); return err })
		wiretest.Eventually(t, "the write to end", func() bool { r.clock.Advance(time.Second); return len(wrote) > 0 })
		if err := <-wrote; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if tun.LocalAddr() == nil || tun.RemoteAddr().String() != r.Link().RemoteAddr().String() {
			t.Error("the addresses are wrong")
		}
	})
}

// A tunnel can be aborted from outside and closed while it writes.
func TestTunnelAborted(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		tun := r.upgraded()
		reads(t, tun, "early ")
		read := later(func() error { _, err := tun.Read(make([]byte, 1)); return err })
		r.Abort()
		if err := wiretest.Within(t, "Read", read); err != netconn.ErrAbort {
			t.Error(err)
		}
		_ = tun.Close()
		r = plainRig(t, k)
		tun = r.upgraded()
		wrote := later(func() error { _, err := tun.Write(make([]byte, 50<<20)); return err })
		wiretest.Eventually(t, "the write to wait", r.Link().Unsent)
		if err := tun.Close(); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "Write", wrote); err == nil {
			t.Error("written")
		}
		r.peer.WantGone()
	})
}

// A tunnel works if Cancel has not ended the connection before.
func TestTunnelOrCancel(t *testing.T) {
	for range 20 {
		r := plainRig(t, socket)
		r.begin("CONNECT")
		r.peer.Send("HTTP/1.1 200 Fine\r\n\r\n")
		r.status(200)
		served := r.Served()
		canceled := later(func() bool { return r.Cancel(served, errTest) })
		tun := r.Tunnel()
		ended := wiretest.Within(t, "Cancel", canceled)
		r.leave(false)
		if ended {
			r.peer.WantGone()
		} else {
			r.peer.Send("late")
			reads(t, tun, "late")
		}
		_ = tun.Close()
	}
}

// Without Tunnel a connection ends after a head that opens one.
func TestNoTunnel(t *testing.T) {
	for _, tc := range []struct{ method, head string }{
		{"GET", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"},
		{"CONNECT", "HTTP/1.1 200 Fine\r\n\r\n"},
	} {
		r := plainRig(t, socket)
		r.begin(tc.method)
		r.peer.Send(tc.head)
		r.status(r.statusIn(tc.head))
		r.body("")
		r.leave(false)
		r.peer.WantEOF()
	}
	for _, status := range []int{300, 502} {
		r := plainRig(t, socket)
		r.begin("CONNECT")
		r.peer.Send(fmt.Sprintf("HTTP/1.1 %d No\r\nContent-Length: 2\r\n\r\nno", status))
		r.status(status)
		r.body("no")
		r.leave(true)
		r.again()
	}
}
