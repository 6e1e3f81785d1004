package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestListensAt(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "0.0.0.0:80": "localhost:80", "[::]:80": "localhost:80",
	} {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := listensAt("http", a); got != "http://"+want+"/" {
			t.Errorf("listensAt(%s) = %s, want http://%s/", addr, got, want)
		}
	}
	if got := listensAt("https", &net.UnixAddr{Net: "unix", Name: "/run/a"}); got != "unix:/run/a" {
		t.Errorf("listensAt(/run/a) = %s, want unix:/run/a", got)
	}
}

func TestStopLetsRequestsFinish(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *running) {
		idle := r.dial()
		idle.say("GET /plaintext HTTP/1.1\r\nHost: h\r\n\r\n")
		idle.hear("GET")
		busy := r.dial()
		busy.say("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if resp, err := http.ReadResponse(busy.br, nil); err != nil || resp.StatusCode != 100 {
			t.Fatalf("got %v, %v; want 100: the request is in the handler's hands", resp, err)
		}
		r.first()
		idle.wantEnd() // an idle connection has nothing to finish
		if nc, err := net.Dial("tcp", r.addr); err == nil {
			nc.Close()
			t.Error("a new connection was accepted")
		}
		busy.say("hello")
		if resp, body := busy.hear("POST"); resp.StatusCode != 200 || body != report("POST", "/", "h", "", "hello") || !resp.Close {
			t.Errorf("the request in flight got %s %q, close %v; want its answer and close", resp.Status, body, resp.Close)
		}
		busy.wantEnd()
		if err := r.end(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

func TestSecondStopEndsAtOnce(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *running) {
		busy := r.dial()
		busy.say("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if resp, err := http.ReadResponse(busy.br, nil); err != nil || resp.StatusCode != 100 {
			t.Fatalf("got %v, %v; want 100", resp, err)
		}
		r.first()
		r.again()
		if err := r.end(); err != nil {
			t.Errorf("the server ended with %v; the end was asked for twice, so it is none", err)
		}
	})
}

// somewhere is a site for servers that do not look where they serve.
var somewhere = site{l: struct{ net.Listener }{}}

// stuck is an httpServer whose requests never finish.
type stuck struct {
	httpServer
	closed chan struct{}
}

func (s stuck) Serve(net.Listener) error { <-s.closed; return http.ErrServerClosed }
func (s stuck) Close() error             { close(s.closed); return nil }
func (s stuck) Shutdown(ctx context.Context) error {
	return context.DeadlineExceeded // as after the whole grace
}

func TestUnfinishedRequestsAreAnError(t *testing.T) {
	s := stop{now: context.Background()}
	var first context.CancelFunc
	s.gracefully, first = context.WithCancel(context.Background())
	first()
	if err := runServer(s, stuck{closed: make(chan struct{})}, somewhere); err == nil {
		t.Error("requests were cut off, and nobody was told")
	}
}

// failing is an httpServer that cannot serve.
type failing struct{ httpServer }

var errFailing = errors.New("no more descriptors")

func (failing) Serve(net.Listener) error { return errFailing }

func TestFailureToServeEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := runServer(stop{ctx, ctx}, failing{}, somewhere); !errors.Is(err, errFailing) {
		t.Errorf("got %v, want %v", err, errFailing)
	}
}
