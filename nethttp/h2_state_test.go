package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"golang.org/x/net/http2"
)

// A connection of HTTP/2 is idle after its preface, active while it has streams, and idle again without them, as net/http
// reports it. PING and similar frames do not change this.
func TestH2ConnState(t *testing.T) {
	var mu sync.Mutex
	var states []http.ConnState
	now := func() []http.ConnState {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(states)
	}
	free := make(chan struct{})
	configure := func() *http.Server {
		states = nil
		p := new(http.Protocols)
		p.SetUnencryptedHTTP2(true)
		p.SetHTTP1(true)
		return &http.Server{
			Protocols: p,
			Handler:   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-free }),
			ConnState: func(_ net.Conn, s http.ConnState) {
				mu.Lock()
				defer mu.Unlock()
				states = append(states, s)
			},
		}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		reach := func(want ...http.ConnState) {
			t.Helper()
			for end := time.Now().Add(time.Minute); !slices.Equal(now(), want); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("got %v, want %v", now(), want)
				}
			}
		}
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		k := h2Over(t, nc)
		k.Framer.WriteSettingsAck()
		k.Text = func(f http2.Frame) string {
			if f.Header().Type == http2.FramePing {
				return h2talk.Describe(f)
			}
			return ""
		}
		want := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle}
		reach(want...)
		k.WantIdle()
		k.WantIdle()
		reach(want...)
		for _, id := range []uint32{1, 3} { // :method GET, :scheme http, :path /
			k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte("\x82\x86\x84\x01\x01a"), EndHeaders: true, EndStream: true})
		}
		k.WantIdle()
		want = append(want, http.StateActive)
		reach(want...)
		free <- struct{}{}
		k.WantIdle()
		reach(want...)
		free <- struct{}{}
		want = append(want, http.StateIdle)
		reach(want...)
		k.WantIdle()
		reach(want...)
		nc.Close()
		reach(append(want, http.StateClosed)...)
	})
}

// ConnContext is called once for a connection, and every request's context has the values that it and net/http add.
func TestH2ConnContext(t *testing.T) {
	type key struct{}
	configure := func() *http.Server {
		n := 0
		p := new(http.Protocols)
		p.SetUnencryptedHTTP2(true)
		return &http.Server{
			Protocols: p,
			ConnContext: func(ctx context.Context, nc net.Conn) context.Context {
				n++
				return context.WithValue(ctx, key{}, fmt.Sprint(n, " ", nc.RemoteAddr()))
			},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
				fmt.Fprintf(w, "%v %v %v", r.Context().Value(key{}) == "1 "+r.RemoteAddr, r.Context().Value(http.LocalAddrContextKey), s != nil)
			}),
		}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		p := new(http.Protocols)
		p.SetUnencryptedHTTP2(true)
		tr := &http.Transport{Protocols: p}
		defer tr.CloseIdleConnections()
		for range 3 {
			resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
			if err != nil {
				t.Fatal(err)
			}
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if want := "true " + addr + " true"; string(got) != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}
