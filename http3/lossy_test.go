package http3_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// line is a line between one client and a server that loses, doubles and reorders datagrams. Rebind gives the client another address, as
// a router does that has forgotten it.
type line struct {
	front  net.PacketConn // what the client sends to
	to     *net.UDPAddr
	mu     sync.Mutex
	client net.Addr
	back   *net.UDPConn // what the server answers to
	all    sync.WaitGroup
	ended  bool
	rnd    *rand.Rand
	loss   float64

	largest atomic.Int64 // what is larger is lost; 0: nothing
	lost    atomic.Int64 // for that reason

	deaf    bool         // nothing that the server sends arrives; guarded by mu
	unheard atomic.Int64 // that it has sent meanwhile
}

func newLine(t *testing.T, addr string, loss float64) *line {
	t.Helper()
	front, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{front: front, to: to, rnd: rand.New(rand.NewPCG(1, 2)), loss: loss}
	l.rebind(t)
	l.all.Go(func() { l.forward(front) })
	t.Cleanup(func() {
		l.mu.Lock()
		l.ended = true
		l.mu.Unlock()
		l.front.Close()
		l.back.Close()
		l.all.Wait()
	})
	return l
}

// forward passes on what the client sends.
func (l *line) forward(front net.PacketConn) {
	for p := make([]byte, 2048); ; {
		n, from, err := front.ReadFrom(p)
		if err != nil {
			return
		}
		l.mu.Lock()
		l.client = from
		back := l.back
		l.mu.Unlock()
		l.pass(p[:n], func(p []byte) { back.Write(p) })
	}
}

// reopen opens the client's end again, after it was closed.
func (l *line) reopen(t *testing.T) {
	t.Helper()
	front, err := net.ListenPacket("udp", l.front.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	l.front = front
	l.mu.Unlock()
	l.all.Go(func() { l.forward(front) })
}

// rebind has the server see another address of the client.
func (l *line) rebind(t *testing.T) {
	back, err := net.DialUDP("udp", nil, l.to)
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	old := l.back
	l.back = back
	l.mu.Unlock()
	if old != nil {
		old.Close()
	}
	l.all.Go(func() {
		for p := make([]byte, 2048); ; {
			n, err := back.Read(p)
			if err != nil {
				return
			}
			l.mu.Lock()
			to, front := l.client, l.front
			deaf := l.deaf
			l.mu.Unlock()
			if deaf {
				l.unheard.Add(1)
				continue
			}
			l.pass(p[:n], func(p []byte) { front.WriteTo(p, to) })
		}
	})
}

// pass passes a datagram on, or not, or twice, or late.
func (l *line) pass(p []byte, send func([]byte)) {
	l.mu.Lock()
	x := l.rnd.Float64()
	late := time.Duration(l.rnd.IntN(5)) * time.Millisecond
	l.mu.Unlock()
	largest := l.largest.Load()
	switch {
	case largest > 0 && int64(len(p)) > largest:
		l.lost.Add(1)
	case x < l.loss:
	case x < 2*l.loss:
		send(p)
		send(p)
	case x < 4*l.loss:
		p = bytes.Clone(p)
		l.all.Go(func() {
			time.Sleep(late)
			send(p)
		})
	default:
		send(p)
	}
}

// TestRebinding: a client whose address changes, because a router has forgotten it, goes on with its connection.
func TestRebinding(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	for i := range 4 {
		resp, err := c.Get("https://" + l.front.LocalAddr().String() + "/big")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); len(b) != 1<<20 || err != nil {
			t.Errorf("move %d: %d bytes, %v", i, len(b), err)
		}
		resp.Body.Close()
		l.rebind(t)
	}
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 4 {
		t.Errorf("%+v", n)
	}
}

// TestQuickMoves: a client that moves on before anything has reached it at its new address goes on with its connection.
func TestQuickMoves(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: time.Minute}
	get := func() {
		resp, err := c.Get("https://" + l.front.LocalAddr().String() + "/big")
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		if b, err := io.ReadAll(resp.Body); len(b) != 1<<20 || err != nil {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	}
	for range 5 {
		get()
		l.rebind(t)
		l.setDeaf(true)
		unheard := l.unheard.Load()
		done := make(chan bool)
		go func() {
			get()
			close(done)
		}()
		wiretest.Eventually(t, "the server to ask at the new address", func() bool { return l.unheard.Load() > unheard })
		l.rebind(t)
		l.setDeaf(false)
		wiretest.Within(t, "the answer", done)
	}
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 10 {
		t.Errorf("%+v", n)
	}
}

func (l *line) setDeaf(deaf bool) {
	l.mu.Lock()
	l.deaf = deaf
	l.mu.Unlock()
}

// TestLossyLine: on a line that loses, doubles and reorders everything arrives whole, and a shutdown cuts nothing.
func TestLossyLine(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	r := start(t, server.Config{MaxBodyBytes: -1, Handler: server.HandlerFunc(page)}, http3.Config{})
	l := newLine(t, r.addr, 0.02)
	_, pool := certificate()
	tr := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.Close()
	c := &http.Client{Transport: tr, Timeout: time.Minute}
	url := "https://" + l.front.LocalAddr().String()
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			body := make([]byte, 200_000+i*10_000)
			for j := range body {
				body[j] = byte(rand.Uint32())
			}
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
	if n := r.s.Stats(); n.Connections != 1 || n.Requests != 24 {
		t.Errorf("%+v", n)
	}
	ctx, cancel := within(t)
	defer cancel()
	if err := r.s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}
