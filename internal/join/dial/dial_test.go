package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// at returns a Target for addr.
func at(addr net.Addr) *Target {
	host, port, _ := net.SplitHostPort(addr.String())
	return &Target{Host: host, Port: port}
}

// Without a proxy and TLS the connection is the host's own.
func TestStraight(t *testing.T) {
	l := listen(t)
	done := begin(t.Context(), at(l.Addr()))
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	nc := connected(t, done)
	if _, ok := nc.(*net.TCPConn); !ok {
		t.Errorf("got a %T, want the connection itself", nc)
	}
	wiretest.NewTalk(t, far).Send("hello")
	wiretest.NewTalk(t, nc).Want("hello")
}

// A dial to a port where nobody listens is an error.
func TestNobodyThere(t *testing.T) {
	if nc, _, err := (&Target{Host: "127.0.0.1", Port: "1"}).Dial(t.Context()); nc != nil || err == nil {
		t.Errorf("got %v, %v", nc, err)
	}
}

// The context ends each wait, and closes the connection.
func TestCancel(t *testing.T) {
	for name, tc := range map[string]struct {
		target  *Target
		reached int // bytes that come before the silence
	}{
		"TLS":     {&Target{Host: "a", Port: "1", TLS: &tls.Config{}}, 1},
		"CONNECT": {viaProxy(), len(asked)},
		"secure":  {&Target{Host: "a", Port: "1", Proxy: &Proxy{Scheme: HTTPS, Host: "b", Port: "2"}}, 1},
		"SOCKS5":  {viaSocks(), 3},
	} {
		t.Run(name, func(t *testing.T) {
			h := through(t, tc.target, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := begin(ctx, tc.target)
			h.WantN(tc.reached)
			cancel()
			if r := wait(t, done); r.nc != nil || !errors.Is(r.err, context.Canceled) {
				t.Errorf("got %v, %v", r.nc, r.err)
			}
			h.WantGone()
		})
	}
}

// With a context that has ended nothing is dialled.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if nc, _, err := at(listen(t).Addr()).Dial(ctx); nc != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", nc, err)
	}
}
