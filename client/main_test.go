package client_test

import (
	"context"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/shockwave-go/shockwave/client"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16") // the tests that run in parallel wait
	goleak.VerifyTestMain(m)
}

// newClient returns a client that uses no proxy unless cfg has one, and ends with its test.
func newClient(t testing.TB, cfg client.Config) *client.Client {
	t.Helper()
	if cfg.Proxy == nil {
		cfg.DisableProxy = true
	}
	c := client.New(cfg)
	t.Cleanup(func() { c.Close() })
	return c
}

// serve serves h on the loopback interface, by net/http, over HTTP/1.1 and HTTP/2 without TLS, until the test ends.
func serve(t testing.TB, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// script accepts connections and passes each to f, with its number, until the test ends.
func script(t testing.TB, f func(n int, nc net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	conns := make(chan bool, 10_000)
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			conns <- true
			go func() {
				defer func() { nc.Close(); <-conns }()
				f(n, nc)
			}()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-ended
		for range cap(conns) { // all have ended
			conns <- true
		}
	})
	return "http://" + l.Addr().String()
}

// noDial is a Config.NetDial that must not be called.
func noDial(t testing.TB) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("a connection to %s is opened", addr)
		return nil, net.ErrClosed
	}
}

// discard is a logger for servers whose clients misbehave on purpose.
var discard = log.New(io.Discard, "", 0)
