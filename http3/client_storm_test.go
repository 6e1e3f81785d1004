package http3_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Requests that are cancelled at any time, in any way, leave nothing behind.
func TestClientStorm(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		var s sockets
		r.tr.ListenPacket = s.listen
		var all sync.WaitGroup
		for i := range 8 {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			all.Go(func() {
				for range 25 {
					r.giveUp(rnd)
				}
			})
		}
		all.Wait()
		r.do("GET", "/", nil)
		for range 1000 {
			if r.tr.CloseIdleConnections(); s.closed.Load() == s.opened.Load() {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d of %d connections are idle", s.closed.Load(), s.opened.Load())
	})
}

// giveUp sends a request and cancels it in one of several ways.
func (r *clientRig) giveUp(rnd *rand.Rand) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if rnd.IntN(2) == 0 {
		time.AfterFunc(time.Duration(rnd.IntN(3000))*time.Microsecond, cancel)
	}
	var body io.Reader
	switch rnd.IntN(3) {
	case 0:
		body = strings.NewReader("abc")
	case 1:
		body = content(rnd.IntN(200_000))
	}
	path := []string{"/", "/echo", "/big", "/early", "/refuse", "/length", "/204"}[rnd.IntN(7)]
	req, _ := http.NewRequestWithContext(ctx, []string{"GET", "POST", "HEAD"}[rnd.IntN(3)], r.url+path, body)
	resp, err := r.tr.RoundTrip(req)
	if err != nil {
		if ctx.Err() == nil {
			r.Errorf("%s %s: %v", req.Method, path, err)
		}
		return
	}
	switch rnd.IntN(3) {
	case 0:
		io.Copy(io.Discard, resp.Body)
	case 1:
		io.CopyN(io.Discard, resp.Body, int64(rnd.IntN(100_000)))
	}
	if rnd.IntN(4) == 0 {
		go resp.Body.Close()
	}
	resp.Body.Close()
}
