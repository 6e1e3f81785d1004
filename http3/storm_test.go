package http3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// Clients come, go, cancel, send half a request and do not read, while handlers panic, take streams over, end their goroutines or
// wait: every response is right, and nothing is left behind.
func TestStorm(t *testing.T) {
	r := start(t, server.Config{ReadTimeout: time.Second, WriteTimeout: time.Second, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/panic":
			panic(server.ErrAbort)
		case "/goexit":
			runtime.Goexit()
		case "/wait":
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		case "/gone":
			gone := make(chan bool)
			r.OnClientGone(func() { close(gone) })
			select {
			case <-gone:
			case <-time.After(50 * time.Millisecond):
			}
		case "/tunnel":
			nc, rw, err := w.Hijack()
			if err != nil {
				return
			}
			defer nc.Close()
			io.Copy(nc, rw)
			return
		case "/echo":
			io.Copy(w, r)
			return
		}
		fmt.Fprintf(w, "%s", r.Path())
	})}, http3.Config{Budget: -1})
	var all sync.WaitGroup
	until := time.Now().Add(2 * time.Second)
	for range 6 {
		all.Go(func() {
			for time.Now().Before(until) {
				r.visit(rand.IntN(20))
			}
		})
	}
	all.Wait()
	ctx, cancel := within(t)
	defer cancel()
	if err := r.s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if n := r.s.Stats(); n.OpenConnections != 0 || n.Requests == 0 {
		t.Errorf("got %+v; want OpenConnections 0 and some Requests", n)
	}
}

// visit is a client with some requests at once.
func (r *rig) visit(requests int) {
	_, pool := certificate()
	ctx, cancel := within(r)
	defer cancel()
	qc, err := quic.DialAddr(ctx, r.addr, clientTLS(pool), nil)
	if err != nil {
		r.Error(err)
		return
	}
	c := new(peer.Transport).NewClientConn(qc)
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			paths := []string{"/", "/", "/wait", "/echo", "/echo", "/panic", "/goexit", "/gone", "/tunnel"}
			path := paths[rand.IntN(len(paths))]
			method, body := "GET", []byte(nil)
			switch path {
			case "/echo":
				method, body = "POST", bytes.Repeat([]byte("x"), rand.IntN(300_000))
			case "/tunnel":
				method, body = http.MethodConnect, []byte("hello")
			}
			ctx := ctx
			if rand.IntN(4) == 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, time.Duration(rand.IntN(10))*time.Millisecond)
				defer stop()
			}
			req, _ := http.NewRequestWithContext(ctx, method, "https://"+r.addr+path, bytes.NewReader(body))
			resp, err := c.RoundTrip(req)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(io.LimitReader(resp.Body, int64(rand.IntN(400_000))))
			if err == nil && !bytes.HasPrefix(body, got) && !bytes.HasPrefix([]byte(path), got) {
				r.Errorf("%s: got %.40q", path, got)
			}
		})
	}
	if rand.IntN(3) > 0 {
		all.Wait()
	}
	qc.CloseWithError(0x100, "")
	all.Wait()
}
