package http3_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// A connection survives when a router gives the client another address.
func TestRebinding(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0, 0)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	for i := range 4 {
		resp, err := c.Get("https://" + l.addr + "/big")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); len(b) != 1<<20 || err != nil {
			t.Errorf("move %d: got %d bytes, %v", i, len(b), err)
		}
		resp.Body.Close()
		if err := l.rebind(); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 4 {
		t.Errorf("got %+v; want Connections 1, Requests 4", n)
	}
}

// A connection survives when the client moves again before anything has reached it at its new address.
func TestQuickMoves(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0, 0)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: time.Minute}
	get := func() {
		resp, err := c.Get("https://" + l.addr + "/big")
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		if b, err := io.ReadAll(resp.Body); len(b) != 1<<20 || err != nil {
			t.Errorf("got %d bytes, %v", len(b), err)
		}
	}
	for range 5 {
		get()
		l.rebind()
		l.setDeaf(true)
		unheard := l.unheard.Load()
		done := make(chan bool)
		go func() {
			get()
			close(done)
		}()
		wiretest.Eventually(t, "the server to ask at the new address", func() bool { return l.unheard.Load() > unheard })
		l.rebind()
		l.setDeaf(false)
		wiretest.Within(t, "the response", done)
	}
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 10 {
		t.Errorf("got %+v; want Connections 1, Requests 10", n)
	}
}

// On a network that loses, duplicates and reorders packets and changes the client's address, everything arrives whole, and a
// shutdown cuts nothing.
func TestLossyLine(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	r := start(t, server.Config{MaxBodyBytes: -1, Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0.02, 500)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: time.Minute}
	url := "https://" + l.addr
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			body := noise(200_000 + i*10_000)
			for _, path := range []string{"/sum", "/echo"} {
				resp, err := c.Post(url+path, "", bytes.NewReader(body))
				if err != nil {
					t.Errorf("%d %s: %v", i, path, err)
					return
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				want := body
				if path == "/sum" {
					want = fmt.Appendf(nil, "%d %x <nil>", len(body), sha256.Sum256(body))
				}
				if !bytes.Equal(got, want) || err != nil {
					t.Errorf("%d %s: %d bytes of %d, %v", i, path, len(got), len(want), err)
				}
			}
		})
	}
	all.Wait()
	l.judge(t)
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 24 {
		t.Errorf("got %+v; want Connections 1, Requests 24", n)
	}
	ctx, cancel := within(t)
	defer cancel()
	if err := r.s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// noise returns n random bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

// On a network that loses, duplicates and reorders packets, a client gets everything whole, from our server and from quic-go's.
func TestLossyClient(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	forBoth(t, func(r *clientRig) {
		var s sockets
		r.tr.ListenPacket = s.listen
		r.c.Timeout = time.Minute
		l := newLine(r.T, r.addr, 0.02, 500)
		r.url = "https://" + l.addr
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				body := noise(200_000 + i*10_000)
				if _, got := r.do("POST", "/echo", bytes.NewReader(body)); got != string(body) {
					r.Errorf("%d: %d of %d bytes", i, len(got), len(body))
				}
				want := fmt.Sprintf("%d %x <nil>", len(body), sha256.Sum256(body))
				if _, got := r.do("POST", "/sum", bytes.NewReader(body)); got != want {
					r.Errorf("%d: %s, want %s", i, got, want)
				}
			})
		}
		all.Wait()
		l.judge(r.T)
		if n := s.opened.Load(); n != 1 {
			r.Errorf("%d connections", n)
		}
	})
}
