package server_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// A connection beyond the limit is served when another has ended.
func TestH2MaxConns(t *testing.T) {
	for _, w := range h2Ways[:2] {
		t.Run(w.name, func(t *testing.T) {
			f, dial := w.dial(t, server.Config{Handler: server.HandlerFunc(h2Answers), MaxConns: 1})
			first := h2On(t, dial())
			second := dial()
			io.WriteString(second, http2.ClientPreface)
			first.get(1, "/hello")
			first.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
			if n := f.Stats().Connections; n != 1 {
				t.Errorf("%d connections were accepted", n)
			}
			first.Conn.Close()
			k := h2With(t, second)
			k.Framer.WriteSettings()
			k.Want("SETTINGS", "SETTINGS ack")
			k.get(1, "/hello")
			k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
			second.Close()
		})
	}
}

// OnConn is called once for a connection, and ConnValue of all its requests is the result.
func TestH2OnConn(t *testing.T) {
	type conn struct {
		n      int
		remote string
	}
	var mu sync.Mutex
	n := 0
	cfg := server.Config{
		OnConn: func(l net.Listener, nc net.Conn) any {
			mu.Lock()
			defer mu.Unlock()
			n++
			return &conn{n, nc.RemoteAddr().String()}
		},
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			c := r.ConnValue().(*conn)
			fmt.Fprintf(w, "%d %v %v", c.n, c.remote == r.RemoteAddr().String(), r.TLS() != nil)
		}),
	}
	for _, way := range h2Ways {
		t.Run(way.name, func(t *testing.T) {
			n = 0
			_, dial := way.dial(t, cfg)
			for i := 1; i <= 2; i++ {
				k := h2On(t, dial())
				for id := uint32(1); id < 8; id += 2 {
					want := fmt.Sprint(i, " true ", strings.HasPrefix(way.name, "tls"))
					k.get(id, "/")
					k.Want(fmt.Sprintf("HEADERS %d 200 content-length=%d", id, len(want)), fmt.Sprintf("DATA %d %q END", id, want))
				}
				k.Conn.Close()
			}
		})
	}
}

// A connection is idle after its preface, active while it has streams, and idle again without them. PING does not change
// this, and a tunnel is a stream.
func TestH2OnState(t *testing.T) {
	t.Parallel()
	for _, way := range []h2Way{h2Ways[1], h2Ways[2], h2Ways[4]} {
		t.Run(way.name, func(t *testing.T) {
			var mu sync.Mutex
			var states []http.ConnState
			reach := func(want ...http.ConnState) {
				t.Helper()
				for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
					mu.Lock()
					got := slices.Clone(states)
					mu.Unlock()
					if slices.Equal(got, want) {
						return
					}
					if time.Now().After(end) {
						t.Fatalf("got %v, want %v", got, want)
					}
				}
			}
			h, taken := tunnels(t)
			free := make(chan struct{})
			_, dial := way.dial(t, server.Config{
				OnState: func(_ net.Conn, s http.ConnState) {
					mu.Lock()
					defer mu.Unlock()
					states = append(states, s)
				},
				Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
					if string(r.Method()) == "CONNECT" {
						h(w, r)
						return
					}
					<-free
				}),
			})
			k := h2On(t, dial())
			all := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle}
			reach(all...)
			k.WantIdle()
			reach(all...)
			k.get(1, "/")
			k.get(3, "/")
			k.WantIdle()
			all = append(all, http.StateActive)
			reach(all...)
			free <- struct{}{}
			if _, err := k.Next(); err != nil {
				t.Fatal(err)
			}
			k.WantIdle()
			reach(all...)
			free <- struct{}{}
			if _, err := k.Next(); err != nil {
				t.Fatal(err)
			}
			all = append(all, http.StateIdle)
			reach(all...)
			nc := k.tunnel(5, taken)
			all = append(all, http.StateActive)
			reach(all...)
			nc.Close()
			all = append(all, http.StateIdle)
			reach(all...)
			k.Conn.Close()
			reach(append(all, http.StateClosed)...)
		})
	}
}

// The request that asked for h2c is stream 1 of an ordinary HTTP/2 connection, and is counted once.
func TestUpgradedConnection(t *testing.T) {
	for _, way := range h2Ways[:3] {
		t.Run(way.name, func(t *testing.T) {
			f, dial := way.dial(t, server.Config{Handler: server.HandlerFunc(h2Answers)})
			nc := dial()
			defer nc.Close()
			io.WriteString(nc, "GET /hello HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
			head, one := "", make([]byte, 1)
			for !strings.HasSuffix(head, "\r\n\r\n") {
				if _, err := io.ReadFull(nc, one); err != nil {
					t.Fatal(head, err)
				}
				head += string(one)
			}
			if !strings.HasPrefix(head, "HTTP/1.1 101 ") {
				t.Fatal(head)
			}
			k := h2With(t, nc)
			io.WriteString(nc, http2.ClientPreface)
			k.Want("SETTINGS", "HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
			k.Framer.WriteSettings()
			k.Framer.WriteSettingsAck()
			k.Want("SETTINGS ack")
			k.get(3, "/hello")
			k.Want("HEADERS 3 200 content-length=5", `DATA 3 "hello" END`)
			k.get(1, "/hello") // is not to be opened again
			k.Want("GOAWAY 3 STREAM_CLOSED")
			if n := f.Stats().Requests; n != 2 {
				t.Errorf("%d requests were counted", n)
			}
		})
	}
}

// After a request of HTTP/1.1 the preface of HTTP/2 is a bad request.
func TestPrefaceComesFirst(t *testing.T) {
	f := handle(t, path)
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/a")
	k.Send(http2.ClientPreface)
	if got := k.Rest(); !strings.HasPrefix(got, "HTTP/1.1 505 ") && !strings.HasPrefix(got, "HTTP/1.1 400 ") {
		t.Errorf("got %q", got)
	}
}

// A connection that has negotiated a protocol which the server does not speak ends, and is counted.
func TestRefusedH2IsCounted(t *testing.T) {
	cert, pool := devCert(t)
	own := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}}
	var log journal
	f := startOn(t, tls.NewListener(listen(t), own), server.Config{
		Handler: server.HandlerFunc(secure), Logger: log.logger(), Protocols: speak((*http.Protocols).SetHTTP1),
	})
	k := f.talkTLS(t, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"}})
	k.Rest()
	if n := f.Stats().BadRequests; n != 1 {
		t.Errorf("%d were refused", n)
	}
}

// A request has its own fields, and none of the request before it.
func TestH2HeadersAreNotKept(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var names []string
		for i := range r.Header().Len() {
			name, value := r.Header().At(i)
			names = append(names, fmt.Sprintf("%s=%s", name, value))
		}
		w.WriteText(strings.Join(names, " "))
	})
	k := f.h2(t)
	for i, fields := range [][]string{{"a: 1", "b: 2", "c: 3"}, {"d: 4"}, {}} {
		id := uint32(1 + 2*i)
		k.get(id, "/", fields...)
		want := "host=example.com"
		for _, l := range fields {
			want += " " + strings.Replace(l, ": ", "=", 1)
		}
		k.Want(fmt.Sprintf("HEADERS %d 200 content-length=%d content-type=text/plain; charset=utf-8", id, len(want)), fmt.Sprintf("DATA %d %q END", id, want))
	}
}
