package server_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// workers counts the goroutines that serve requests of HTTP/2, or wait for them.
func workers() int {
	b := make([]byte, 16<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), "workers.(*Pool).run(")
}

// After many handlers have blocked at once, only some of their goroutines are kept, for a limited time, and none after
// the last connection.
func TestH2Workers(t *testing.T) {
	const most = 512
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		startOn(t, l, server.Config{
			HTTP2: server.HTTP2Config{MaxConcurrentStreams: 1000},
			Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Path()) == "/block" {
					<-free
				}
			}),
		})
		open := func() *h2Talk {
			nc, err := l.Dial()
			if err != nil {
				t.Fatal(err)
			}
			k := h2On(t, nc)
			k.Timeout = time.Hour
			nc.SetDeadline(time.Time{})
			return k
		}
		k, other := open(), open()
		ask := func(first, n uint32, path string) {
			k.Batch(func() {
				for i := range n {
					k.headers(first+2*i, true, request("HEAD", path)...)
				}
			})
		}
		hear := func(n uint32) {
			for range n {
				if s, err := k.Next(); err != nil || !strings.HasSuffix(s, " END") {
					t.Fatal(s, err)
				}
			}
		}
		const many = most + 100
		ask(1, many, "/block")
		synctest.Wait()
		if n := workers(); n < many || n > many+1 {
			t.Errorf("%d workers for %d handlers that block", n, many)
		}
		close(free)
		hear(many)
		synctest.Wait()
		if n := workers(); n != most {
			t.Errorf("%d workers wait, want %d", n, most)
		}
		id := uint32(2*many + 1)
		time.Sleep(4 * time.Second)
		for range 10 { // the idle workers have not waited for long
			ask(id, 1, "/")
			hear(1)
			id += 2
		}
		synctest.Wait()
		if n := workers(); n != most {
			t.Errorf("%d workers wait 4 s later, want %d", n, most)
		}
		time.Sleep(2 * time.Second)
		const rounds = 10
		for range rounds { // each worker that becomes idle now ends the one that was idle longest
			ask(id, 1, "/")
			hear(1)
			synctest.Wait()
			id += 2
		}
		if n := workers(); n > most-rounds || n < most-3*rounds {
			t.Errorf("%d workers wait 6 s and %d requests later", n, rounds)
		}
		k.Conn.Close()
		synctest.Wait()
		if n := workers(); n < 2 {
			t.Errorf("%d workers wait while there is a connection", n)
		}
		other.Conn.Close()
		synctest.Wait()
		if n := workers(); n != 0 {
			t.Errorf("%d workers wait for nobody", n)
		}
	})
}
