package server_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// Shutdown waits for other streams, but, as on HTTP/1.1, not for a stream that was hijacked or for its handler. The
// tunnel goes on, and the connection ends with it.
func TestH2ShutdownLeavesTunnels(t *testing.T) {
	for _, answersPing := range []bool{true, false} {
		ways := h2Ways
		if !answersPing {
			ways = h2Ways[:1] // the server waits a second for the client to read the response
		}
		answer := make(chan bool)
		h := server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if r.Upgrade() {
				w.SetStatus(101)
				nc, _, err := w.Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(nc, nc)
				nc.Close()
				return
			}
			<-answer
		})
		test := func(t *testing.T, f *fixture, k *h2Talk) {
			k.headers(1, false, opens("/")...)
			k.Want("HEADERS 1 200")
			k.get(3, "/")
			k.WantIdle()
			ended := make(chan error, 1)
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				ended <- f.Server.Shutdown(ctx)
			}()
			k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
			if answersPing {
				k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
			}
			k.Want("GOAWAY 3 NO_ERROR")
			k.WantIdle()
			if len(ended) > 0 {
				t.Error("Shutdown has not waited for a request")
			}
			answer <- true
			k.Want("HEADERS 3 200 content-length=0 END")
			if err := wiretest.Within(t, "Shutdown", ended); err != nil {
				t.Error(err)
			}
			k.data(1, "goes on", false)
			k.Want(`DATA 1 "goes on"`)
			k.data(1, "", true)
			k.Want(`DATA 1 "" END`)
			k.wantEOF()
			if err := f.Server.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
		for _, w := range ways {
			t.Run(w.name, func(t *testing.T) {
				f, dial := w.dial(t, server.Config{Handler: h})
				test(t, f, h2On(t, dial()))
			})
		}
	}
}

// After a tunnel has ended Shutdown waits again for the connection's requests.
func TestH2ShutdownAfterTunnels(t *testing.T) {
	answer := make(chan bool)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Method()) == "CONNECT" {
			nc, _, err := w.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			nc.Close()
			return
		}
		<-answer
	})
	k := f.h2(t)
	k.headers(1, true, connects()...)
	k.Want("HEADERS 1 200", `DATA 1 "" END`)
	k.get(3, "/")
	k.WantIdle()
	ended := make(chan error, 1)
	go func() { ended <- f.Server.Shutdown(context.Background()) }()
	k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
	k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
	k.Want("GOAWAY 3 NO_ERROR")
	for range 3 { // longer than the server needs to notice what is left
		time.Sleep(100 * time.Millisecond)
		k.WantIdle()
	}
	if len(ended) > 0 {
		t.Error("Shutdown has not waited for the request")
	}
	answer <- true
	k.Want("HEADERS 3 200 content-length=0 END")
	if err := wiretest.Within(t, "Shutdown", ended); err != nil {
		t.Error(err)
	}
}

// Close ends hijacked streams with their connection.
func TestH2CloseEndsTunnels(t *testing.T) {
	h, taken := tunnels(t)
	f := start(t, server.Config{Handler: h})
	k := f.h2(t)
	nc := k.tunnel(1, taken)
	f.Server.Close()
	if _, err := nc.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("read: %v", err)
	}
	nc.Close()
	k.WantGone()
}
