package streamsock_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/streamsock"
)

// mounted returns the address of net/http's server with a handler. compat/sockclients has the same for ours.
func mounted(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// Sockets of both framings work on one server, told apart by path or subprotocol.
func TestHandlers(t *testing.T) {
	for _, by := range []string{"path", "subprotocol"} {
		t.Run(by, func(t *testing.T) {
			single := newSocket(t, streamsock.Config{Subprotocols: []string{"single"}})
			prefixed := newSocket(t, streamsock.Config{Subprotocols: []string{"prefixed"}, Framing: streamsock.FramingPrefixed})
			mux := http.NewServeMux()
			if by == "path" {
				mux.Handle("/single", single.Handler())
				mux.Handle("/prefixed", prefixed.Handler())
			} else {
				mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
					s := single
					if strings.Contains(r.Header.Get("Sec-WebSocket-Protocol"), "prefixed") {
						s = prefixed
					}
					s.Handler().ServeHTTP(w, r)
				})
			}
			host := mounted(t, mux)
			const offer = "Sec-WebSocket-Protocol: "
			a := dialRaw(t, "ws://"+host+"/single", nil, offer+"single\r\n")
			p := wants(t, single, "connected 1")
			if p.Transport() != "ws" || p.Subprotocol() != "single" || p.Request().URL.Path != "/single" || p.RemoteAddr().String() != a.LocalAddr().String() {
				t.Errorf(`got %s, %q, %s, %v; want "ws", "single", /single, %v`, p.Transport(), p.Subprotocol(), p.Request().URL, p.RemoteAddr(), a.LocalAddr())
			}
			b := dialRaw(t, "ws://"+host+"/prefixed", nil, offer+"other, prefixed\r\n")
			wants(t, prefixed, "connected 1")
			a.frame(0x82, "\x00\x00\x00\x05hello")
			b.frame(0x82, "\x00\x00\x00\x05hello")
			wants(t, single, "1 \x00\x00\x00\x05hello")
			wants(t, prefixed, "1 hello")
			for _, s := range []*streamsock.Socket{single, prefixed} {
				if err := s.Send(1, []byte("yes")); err != nil {
					t.Error(err)
				}
			}
			a.want("yes")
			b.want("\x00\x00\x00\x03yes")
			if got := dialRaw(t, "tcp://"+host, nil).upgrade("/single", offer+"other\r\n"); got != 400 {
				t.Errorf("another subprotocol: got %d, want 400", got)
			}
			// The socket ends and says so; the server goes on.
			go single.Shutdown(context.Background())
			a.want("close 1001")
			a.frame(0x88, "\x03\xe9")
			b.frame(0x82, "\x00\x00\x00\x02on")
			wants(t, prefixed, "1 on")
		})
	}
}

// Refused requests get a response, and no id is lost.
func TestHandlerRefuses(t *testing.T) {
	refusals := make(chan streamsock.Refusal, 10)
	asked := 0
	s := newSocket(t, streamsock.Config{MaxPeers: 1, OnRefused: func(r streamsock.Refusal) { refusals <- r },
		Accept: func(*streamsock.Arrival) error { asked++; return nil }})
	host := mounted(t, s.Handler())
	resp, err := http.Get("http://" + host)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if r := <-refusals; resp.StatusCode != http.StatusUpgradeRequired || r.Reason != streamsock.RefusedHandshake || r.Status != resp.StatusCode {
		t.Errorf("got %s, %+v; want status 426, Reason %v", resp.Status, r, streamsock.RefusedHandshake)
	}
	r := dialRaw(t, "tcp://"+host, nil)
	if got := r.upgrade("/", "Origin: http://elsewhere\r\n"); got != 403 {
		t.Errorf("got %v, want 403", got)
	}
	if r := <-refusals; r.Reason != streamsock.RefusedOrigin {
		t.Errorf("got %+v, want Reason %v", r, streamsock.RefusedOrigin)
	}
	if asked != 0 {
		t.Errorf("Accept was called %d times for requests that are refused anyway", asked)
	}
	dialRaw(t, "ws://"+host, nil)
	wants(t, s, "connected 1")
	if got := dialRaw(t, "tcp://"+host, nil).upgrade("/"); got != 503 {
		t.Errorf("got %v, want 503", got)
	}
	if r := <-refusals; r.Reason != streamsock.RefusedMaxPeers || fmt.Sprint(r.Err) == "" {
		t.Errorf("got %+v; want Reason %v and an error", r, streamsock.RefusedMaxPeers)
	}
}

// The place of an upgrade whose CheckOrigin panics is free again.
func TestHandlerOriginPanics(t *testing.T) {
	asked := 0
	s := newSocket(t, streamsock.Config{MaxPeers: 1, CheckOrigin: func(string, string) bool {
		if asked++; asked == 1 {
			panic("the first is too much")
		}
		return true
	}})
	handler, panicked := s.Handler(), make(chan any, 1)
	host := mounted(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				panicked <- v
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		handler.ServeHTTP(w, r)
	}))
	if got := dialRaw(t, "tcp://"+host, nil).upgrade("/"); got != 500 {
		t.Errorf("the upgrade got status %d, want 500", got)
	}
	<-panicked
	dialRaw(t, "ws://"+host, nil)
	wants(t, s, "connected 1")
}
