package dial

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// fixed is a Resolver that knows one answer.
type fixed string

// LookupIPAddr implements Resolver.
func (f fixed) LookupIPAddr(context.Context, string) (found []net.IPAddr, err error) {
	for ip := range strings.FieldsSeq(string(f)) {
		found = append(found, net.IPAddr{IP: net.ParseIP(ip)})
	}
	return found, nil
}

// A dial to real sockets tries the second address when the first one fails.
func TestDialerSockets(t *testing.T) {
	l := listen(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, answer := range []string{"127.0.0.1", "127.0.0.2 127.0.0.1", "::1 127.0.0.1", "127.0.0.1 ::1"} {
		d := &Dialer{Resolver: fixed(answer)}
		nc, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("example.com", port))
		if err != nil {
			t.Fatal(answer, err)
		}
		far, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := nc.(*net.TCPConn); !ok {
			t.Errorf("got a %T", nc)
		}
		wiretest.NewTalk(t, far).Send("hello")
		wiretest.NewTalk(t, nc).Want("hello")
	}
	d := &Dialer{Resolver: fixed("127.0.0.2 127.0.0.1")}
	nc, err := d.DialContext(t.Context(), "tcp", "example.com:1") // where nobody listens
	if op, ok := errors.AsType[*net.OpError](err); nc != nil || !errors.Is(err, syscall.ECONNREFUSED) || !ok || op.Addr == nil {
		t.Errorf("got %v, %v", nc, err)
	}
}

// IP addresses, and networks other than tcp, are passed to net.Dialer.
func TestDialerAddress(t *testing.T) {
	type connection struct{ network, addr string }
	errHere := errors.New("here")
	for _, c := range []connection{
		{"tcp", "192.0.2.1:80"}, {"tcp", "[2001:db8::1]:80"}, {"tcp", "[fe80::1%eth0]:80"}, {"tcp", ":80"}, {"tcp", "nonsense"},
		{"tcp4", "example.com:80"}, {"unix", "/run/socket:0"},
	} {
		var got connection
		d := &Dialer{Resolver: fixed("127.0.0.1"), Connect: func(_ context.Context, network, addr string) (net.Conn, error) {
			got = connection{network, addr}
			return nil, errHere
		}}
		if nc, err := d.DialContext(t.Context(), c.network, c.addr); nc != nil || err != errHere || got != c {
			t.Errorf("%v: connected to %v, %v, %v", c, got, nc, err)
		}
	}
}

// The hooks of httptrace are called for each connection, and for the look-up of the first dial.
func TestDialerHooks(t *testing.T) {
	_, port, _ := net.SplitHostPort(listen(t).Addr().String())
	var mu sync.Mutex
	var seen []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, what)
	}
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		DNSStart:     func(i httptrace.DNSStartInfo) { note("look up " + i.Host) },
		DNSDone:      func(httptrace.DNSDoneInfo) { note("looked up") },
		ConnectStart: func(network, _ string) { note("connect " + network) },
		ConnectDone:  func(string, string, error) { note("connected") },
	})
	d := new(Dialer)
	for _, want := range [][]string{{"look up localhost", "looked up", "connect tcp"}, {"connect tcp"}} {
		nc, err := d.DialContext(ctx, "tcp", net.JoinHostPort("localhost", port))
		if err != nil {
			t.Fatal(err)
		}
		nc.Close()
		mu.Lock()
		if !slices.Equal(seen[:len(want)], want) || !slices.Contains(seen, "connected") {
			t.Errorf("saw %q, want %q and what came of it", seen, want)
		}
		seen = nil
		mu.Unlock()
	}
}

// A Target without Net resolves names.
func TestTargetNames(t *testing.T) {
	target := at(listen(t).Addr())
	target.Host = "localhost"
	connected(t, begin(t.Context(), target))
}
