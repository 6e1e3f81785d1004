package server_test

import (
	"context"
	"flag"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16") // the tests that run in parallel wait
	goleak.VerifyTestMain(m)
}

// fixture is a server on the loopback interface that ends with its test.
type fixture struct {
	*server.Server
	t    testing.TB
	addr string
}

// start serves cfg.
func start(t testing.TB, cfg server.Config) *fixture {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, l, cfg)
}

// startOn serves cfg on l.
func startOn(t testing.TB, l net.Listener, cfg server.Config) *fixture {
	t.Helper()
	f := &fixture{Server: server.NewServer(cfg), t: t, addr: l.Addr().String()}
	f.run(func() error { return f.Serve(l) })
	return f
}

// still serves cfg on l with a clock that stands still: time passes only when the test says so.
func still(t testing.TB, l net.Listener, cfg server.Config) (*fixture, *clock.Clock) {
	t.Helper()
	clk := clock.NewManual()
	f := &fixture{Server: server.NewServerOn(clk, cfg), t: t, addr: l.Addr().String()}
	f.run(func() error { return f.Serve(l) })
	return f, clk
}

// listen listens on the loopback interface.
func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run calls serve until the test ends.
func (f *fixture) run(serve func() error) {
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := f.Shutdown(ctx); err != nil {
			f.t.Errorf("Shutdown: %v", err)
			f.Close()
		}
		if err := <-ended; err != server.ErrServerClosed {
			f.t.Errorf("Serve returned %v, want ErrServerClosed", err)
		}
	})
}

// handle serves h with default settings.
func handle(t testing.TB, h server.HandlerFunc) *fixture {
	t.Helper()
	return start(t, server.Config{Handler: h})
}

// talk begins a conversation with the server.
func (f *fixture) talk(t testing.TB) *wiretest.Talk {
	t.Helper()
	nc, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	return wiretest.NewTalk(t, nc)
}

var dateLine = regexp.MustCompile(`Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n`)

// undated is s without the Date lines.
func undated(s string) string { return dateLine.ReplaceAllString(s, "") }

// head reads the head of a response, without its Date.
func head(k *wiretest.Talk) string { return undated(k.WantUntil("\r\n\r\n")) }

// wantHead expects a response's head, given as lines without the end of line, in this order, Date left out.
func wantHead(t testing.TB, k *wiretest.Talk, lines ...string) {
	t.Helper()
	if got, want := head(k), strings.Join(lines, "\r\n")+"\r\n\r\n"; got != want {
		t.Fatalf("head\n got %q\nwant %q", got, want)
	}
}

// exchange sends raw on a connection of its own and returns all that comes back, Dates left out.
func (f *fixture) exchange(t testing.TB, raw string) string {
	t.Helper()
	k := f.talk(t)
	k.Send(raw)
	return undated(k.Rest())
}

// lines joins lines with CRLF.
func lines(l ...string) string { return strings.Join(l, "\r\n") }
