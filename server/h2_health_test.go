package server_test

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// watchful sends a PING to silent clients after 10 s, and waits 5 s for the answer.
var watchful = server.HTTP2Config{PingInterval: 10 * time.Second, PingTimeout: 5 * time.Second}

// asking is a server with h2 that ends no idle connection.
func asking(h2 server.HTTP2Config) server.Config {
	return server.Config{HTTP2: h2, IdleTimeout: time.Hour}
}

// inH2Bubble runs test with a conversation in a synctest bubble. Requests for /slow get their response when free is
// closed.
func inH2Bubble(t *testing.T, cfg server.Config, test func(t *testing.T, k *h2Talk, free chan struct{})) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/slow" {
				<-free
			}
		})
		startOn(t, l, cfg)
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := h2On(t, nc)
		k.Timeout = 10 * time.Hour
		nc.SetDeadline(time.Time{})
		test(t, k, free)
	})
}

// wantAt expects frames after d.
func (k *h2Talk) wantAt(d time.Duration, frames ...string) {
	k.t.Helper()
	was := time.Now()
	k.Want(frames...)
	if took := time.Since(was); took < d-clock.Tick || took > d+2*clock.Tick {
		k.t.Errorf("%q after %v, want %v", frames, took, d)
	}
}

// pong answers a PING of the server's own.
func (k *h2Talk) pong() { k.Framer.WritePing(true, [8]byte{7: 1}) }

// A silent client gets a PING, with requests and without, and stays connected while it answers.
func TestH2Health(t *testing.T) {
	inH2Bubble(t, asking(watchful), func(t *testing.T, k *h2Talk, free chan struct{}) {
		for _, slow := range []bool{false, true} {
			if slow {
				k.get(1, "/slow")
			}
			k.WantIdle()
			for range 4 {
				k.wantAt(10*time.Second, "PING 01")
				time.Sleep(4 * time.Second)
				k.pong()
			}
		}
		close(free)
		k.Want("HEADERS 1 200 content-length=0 END")
		time.Sleep(9 * time.Second)
		k.WantIdle() // a byte from the client
		k.wantAt(10*time.Second, "PING 01")
		time.Sleep(4 * time.Second)
		k.WantIdle() // any frame of the client's counts as one
		k.wantAt(10*time.Second, "PING 01")
	})
}

// A client that does not answer a PING is disconnected, with requests and without.
func TestH2HealthOfTheDead(t *testing.T) {
	for timeout, wait := range map[time.Duration]time.Duration{5 * time.Second: 5 * time.Second, 0: 15 * time.Second} {
		cfg := asking(server.HTTP2Config{PingInterval: 10 * time.Second, PingTimeout: timeout})
		inH2Bubble(t, cfg, func(t *testing.T, k *h2Talk, free chan struct{}) {
			k.wantAt(10*time.Second, "PING 01")
			k.wantAt(wait, "GOAWAY 0 NO_ERROR")
			k.wantEOF()
		})
		inH2Bubble(t, cfg, func(t *testing.T, k *h2Talk, free chan struct{}) {
			k.get(1, "/slow")
			k.wantAt(10*time.Second, "PING 01")
			k.wantAt(wait, "GOAWAY 1 NO_ERROR")
			close(free)
			k.wantEOF()
		})
	}
}

// A body read fails when a ping times out.
func TestH2HealthIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		startOn(t, l, server.Config{HTTP2: watchful, MinReadRate: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			_, err := r.Body()
			failed <- err
		})})
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := h2On(t, nc)
		k.post(1, "/")
		if err := <-failed; err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the body of a client that has left: %v", err)
		}
	})
}

// A client that has closed its side gets no PING, and gets its responses.
func TestH2HealthOfTheHalf(t *testing.T) {
	inH2Bubble(t, asking(watchful), func(t *testing.T, k *h2Talk, free chan struct{}) {
		k.get(1, "/slow")
		k.WantIdle()
		k.Conn.(*wiretest.Conn).CloseWrite()
		time.Sleep(time.Minute)
		close(free)
		k.Want("HEADERS 1 200 content-length=0 END")
		k.wantEOF()
	})
}

// Without PingInterval no PING is sent.
func TestH2NoHealth(t *testing.T) {
	inH2Bubble(t, asking(server.HTTP2Config{PingTimeout: time.Second}), func(t *testing.T, k *h2Talk, free chan struct{}) {
		time.Sleep(10 * time.Minute)
		k.get(1, "/slow")
		time.Sleep(10 * time.Minute)
		close(free)
		k.Want("HEADERS 1 200 content-length=0 END")
	})
}

// A client that only answers PING is idle.
func TestH2HealthDoesNotProlong(t *testing.T) {
	inH2Bubble(t, server.Config{HTTP2: watchful, IdleTimeout: 45 * time.Second}, func(t *testing.T, k *h2Talk, _ chan struct{}) {
		for range 4 {
			k.wantAt(10*time.Second, "PING 01")
			k.pong()
		}
		k.wantAt(5*time.Second, "GOAWAY 0 NO_ERROR")
		k.wantEOF()
	})
}

// A parked connection is pinged and parks again.
func TestH2HealthOfTheParked(t *testing.T) {
	if !canPark() {
		t.Skip("nothing is parked here")
	}
	f := start(t, server.Config{
		HTTP2: server.HTTP2Config{PingInterval: 50 * time.Millisecond}, IdlePark: time.Millisecond, Handler: server.HandlerFunc(h2Answers),
	})
	k := f.h2(t)
	for range 3 {
		for until := time.Now().Add(time.Minute); f.Stats().ParkedConnections == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("not parked")
			}
		}
		k.Want("PING 01")
		k.pong()
	}
	k.get(1, "/hello")
	k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
}

// A client that does not answer a PING counts once in Stats.Timeouts.
func TestH2HealthIsCounted(t *testing.T) {
	counted := make(chan string, 10)
	cfg := watchful
	cfg.CountError = func(name string) { counted <- name }
	inH2Bubble(t, asking(cfg), func(t *testing.T, k *h2Talk, _ chan struct{}) {
		k.wantAt(10*time.Second, "PING 01")
		k.wantAt(5*time.Second, "GOAWAY 0 NO_ERROR")
		k.wantEOF()
	})
	close(counted)
	if got := <-counted; got != "conn_close_lost_ping" || len(counted) > 0 {
		t.Errorf("counted %q, and %d more", got, len(counted))
	}
}
