package server_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// deafMost is more than all bytes that may wait for a client that does not read.
const deafMost = 1 << 20

// deafAnswers responds with a head of about 50 bytes more than h2Answers, and counts the bytes.
func deafAnswers(said *atomic.Int64) server.HandlerFunc {
	more := strings.Repeat("x", 50)
	var h shockwave.Header
	h.Add("x-more", more)
	return func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/inform":
			for said.Load() <= deafMost && w.WriteInformational(103, &h) == nil {
				said.Add(50)
			}
		case "/trailers":
			w.Header().Add("Trailer", "x-more")
			w.WriteString("x")
			w.Flush()
			w.Trailer().Add("x-more", more)
		default:
			w.Header().Add("x-more", more)
			h2Answers(w, r)
		}
		said.Add(50)
	}
}

// The output waiting for a client that reads nothing is bounded, whatever it requests, and the client is disconnected.
func TestH2Deaf(t *testing.T) {
	kilobyte := strings.Repeat("x", 1000)
	for name, ask := range map[string]func(k *h2Talk, id uint32){
		"heads":  func(k *h2Talk, id uint32) { k.headers(id, true, request("HEAD", "/")...) },
		"bodies": func(k *h2Talk, id uint32) { k.get(id, "/hello") },
		"informational responses": func(k *h2Talk, id uint32) {
			k.get(id, []string{"/inform", "/"}[min(id/2, 1)])
		},
		"pings and heads": func(k *h2Talk, id uint32) {
			k.get(id, "/")
			k.Framer.WritePing(false, [8]byte{})
		},
		"settings and heads": func(k *h2Talk, id uint32) {
			k.get(id, "/")
			k.Framer.WriteSettings()
		},
		"uploads": func(k *h2Talk, id uint32) {
			k.post(id, "/echo")
			k.data(id, kilobyte, false)
			k.data(id, kilobyte, true)
		},
		"trailers": func(k *h2Talk, id uint32) { k.get(id, "/trailers") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said atomic.Int64
				l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Buffer: 4 << 10})
				f := startOn(t, l, server.Config{MinWriteRate: -1, MinReadRate: -1, Handler: deafAnswers(&said)})
				nc, err := l.Dial()
				if err != nil {
					t.Fatal(err)
				}
				k := h2On(t, nc)
				nc.SetDeadline(time.Now().Add(time.Minute))
				var held []byte
				for id := uint32(1); err == nil && id < 200_000; id += 2 {
					held = append(held, k.Held(func() { ask(k, id) })...)
					if id%40 == 1 { // what it asks for is begun
						_, err = nc.Write(held) // until the server reads no more
						held = held[:0]
						synctest.Wait()
					}
				}
				if n := said.Load(); n > deafMost || err == nil {
					t.Errorf("%d bytes and more were written; the error: %v", n, err)
				}
				for got := ""; got != "GOAWAY"; got, _, _ = strings.Cut(got, " ") {
					if got, err = k.Next(); err != nil {
						t.Fatalf("not sent away: %v; before: %q", err, k.Said)
					}
				}
				nc.Close()
				synctest.Wait() // a call that waits for room gets an error and ends in good order
				if n := f.Stats().Panics; n != 0 {
					t.Errorf("%d panics", n)
				}
			})
		})
	}
}

// Responses for which there is no room wait until there is, or until their timeout.
func TestH2HeadsWait(t *testing.T) {
	const count = 200
	for _, timeout := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var returned atomic.Int64
			failed := make(chan error, count)
			l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Buffer: 4 << 10})
			startOn(t, l, server.Config{MinWriteRate: -1, WriteTimeout: timeout, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				w.Header().Add("x-more", strings.Repeat("x", 2000)+string(r.Path())) // no table has it
				failed <- w.Flush()
				returned.Add(1)
			})})
			nc, err := l.Dial()
			if err != nil {
				t.Fatal(err)
			}
			k := h2On(t, nc)
			k.Timeout = time.Hour
			nc.SetDeadline(time.Time{})
			for i := range uint32(count) {
				k.headers(2*i+1, true, request("HEAD", "/"+strconv.Itoa(int(i)))...)
				synctest.Wait()
			}
			if n := returned.Load(); n < 10 || n > 100 {
				t.Fatalf("%d of %d responses were written to a client that does not read", n, count)
			}
			said := int(returned.Load())
			if timeout > 0 {
				time.Sleep(2 * timeout)
			} else {
				k.Framer.WriteRSTStream(2*count-1, http2.ErrCodeCancel)
			}
			synctest.Wait()
			for n := 0; n < count-1; n++ {
				got, err := k.Next()
				if err != nil {
					t.Fatal(err)
				}
				if answered := strings.HasPrefix(got, "HEADERS"); answered != (timeout == 0 || n < said) {
					t.Fatalf("the stream after %d, with %d responses: %.50s", n, said, got)
				}
			}
			nc.Close()
			for i := range count {
				if err := <-failed; (err != nil) != (timeout > 0 && i >= said || timeout == 0 && i == said) {
					t.Errorf("the end of response %d, %d were written at once: %v", i, said, err)
				}
			}
		})
	}
}

// Trailers wait for room as heads do; the end of the stream ends the wait.
func TestH2TrailersWait(t *testing.T) {
	for _, reset := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Buffer: 4 << 10})
			f := startOn(t, l, server.Config{MinWriteRate: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Path()) == "/trailers" {
					w.Header().Set("Trailer", "x-a")
					w.WriteString("x")
					w.Flush()
					<-free
					w.Trailer().Set("X-A", "1")
					return
				}
				w.Header().Set("X-More", strings.Repeat("x", 2000)+string(r.Path())) // no table has it
			})})
			nc, err := l.Dial()
			if err != nil {
				t.Fatal(err)
			}
			k := h2On(t, nc)
			k.Timeout = time.Hour
			nc.SetDeadline(time.Time{})
			k.get(1, "/trailers")
			k.Want("HEADERS 1 200 trailer=x-a", `DATA 1 "x"`)
			const count = 100
			for i := range uint32(count) { // the connection's buffers are full
				k.headers(2*i+3, true, request("HEAD", "/"+strconv.Itoa(int(i)))...)
				synctest.Wait()
			}
			close(free)
			synctest.Wait()
			if reset {
				k.Framer.WriteRSTStream(1, http2.ErrCodeCancel)
				synctest.Wait()
			}
			ended := false
			for n := 0; n < count; {
				got, err := k.Next()
				if err != nil {
					t.Fatal(err)
				}
				if got == "HEADERS 1 x-a=1 END" {
					ended = true
				} else {
					n++
				}
			}
			synctest.Wait()
			if !ended && !reset {
				k.Want("HEADERS 1 x-a=1 END")
			}
			k.WantIdle()
			if n := f.Stats().Panics; n != 0 || reset && ended {
				t.Errorf("%d panics, trailers were sent: %v", n, ended)
			}
			nc.Close()
		})
	}
}
