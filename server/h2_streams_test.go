package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// Flush does not wait for the output of other streams.
func TestH2FlushBesideADownload(t *testing.T) {
	ticked := make(chan struct{})
	var wrote atomic.Int64
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/big":
			p := make([]byte, 100_000)
			for {
				if _, err := w.Write(p); err != nil {
					return
				}
				wrote.Add(1)
			}
		case "/ticks":
			for range 20 {
				w.WriteString("tick")
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
			}
			close(ticked)
		}
	})
	k := f.h2(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	k.Framer.WriteWindowUpdate(0, 1<<30)
	k.get(1, "/big")
	for was := int64(-1); was != wrote.Load(); time.Sleep(50 * time.Millisecond) { // until the socket is full
		was = wrote.Load()
	}
	k.get(3, "/ticks")
	within(t, "all ticks", ticked)
	k.Conn.Close()
}

// A client whose response is complete may send another request, although the handler has not returned.
func TestH2AnsweredButBusy(t *testing.T) {
	free := make(chan struct{})
	cfg := server.Config{HTTP2: server.HTTP2Config{MaxConcurrentStreams: 1}}
	cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.WriteText("hello")
		w.Flush()
		if string(r.Path()) == "/busy" {
			<-free
		}
	})
	k := start(t, cfg).h2(t)
	defer close(free)
	k.get(1, "/busy")
	k.Want("HEADERS 1 200 content-length=5 content-type=text/plain; charset=utf-8", `DATA 1 "hello" END`)
	k.get(3, "/")
	k.Want("HEADERS 3 200 content-length=5 content-type=text/plain; charset=utf-8", `DATA 3 "hello" END`)
}

// The number of running handlers is bounded, also when the client resets their streams, or when they go on after their
// responses.
func TestH2RunningHandlers(t *testing.T) {
	const most = 5
	for path, bound := range map[string]int64{"/reset": most, "/answered": 2 * most, "/answered and reset": 2 * most} {
		t.Run(path[1:], func(t *testing.T) {
			var running, peak atomic.Int64
			free, begun := make(chan struct{}), make(chan struct{}, 100)
			cfg := server.Config{HTTP2: server.HTTP2Config{MaxConcurrentStreams: most}}
			cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				peak.Store(max(peak.Load(), running.Add(1)))
				defer running.Add(-1)
				if string(r.Path()) != "/reset" {
					w.WriteText("hello")
					w.Flush()
				}
				begun <- struct{}{}
				<-free
			})
			k := start(t, cfg).h2(t)
			defer close(free)
			refused := 0
			for id := uint32(1); id < 60; id += 2 {
				k.get(id, strings.ReplaceAll(path, " ", "%20"))
				got := ""
				if path == "/reset" {
					k.wantOrIdle(&got)
				} else if got, _ = k.Next(); !strings.HasPrefix(got, "RST_STREAM") {
					k.Want(fmt.Sprintf(`DATA %d "hello" END`, id))
				}
				if strings.HasPrefix(got, "RST_STREAM") {
					refused++
					continue
				}
				<-begun
				if path != "/answered" {
					k.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
					k.WantIdle()
				}
			}
			if n := peak.Load(); n != bound || refused != 30-int(bound) {
				t.Errorf("%d handlers ran at once, %d requests were refused; want %d of 30", n, refused, bound)
			}
		})
	}
}

// wantOrIdle reads the next frame and the answer to a PING after it. There may be no frame before that answer.
func (k *h2Talk) wantOrIdle(got *string) {
	k.t.Helper()
	k.Framer.WritePing(false, [8]byte{7: 0xee})
	s, err := k.Next()
	if err != nil {
		k.t.Fatal(err)
	}
	if s != "PING ee ack" {
		*got = s
		k.Want("PING ee ack")
	}
}

// A stream that waits for room does not hold up other streams.
func TestH2BlockingHandler(t *testing.T) {
	free := make(chan struct{})
	onH2Ways(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/block" {
			<-free
		}
		w.WriteString("done")
	})}, func(t *testing.T, _ *fixture, k *h2Talk) {
		free = make(chan struct{})
		k.Batch(func() {
			for i := range uint32(10) {
				k.get(1+4*i, "/block")
				k.get(3+4*i, "/quick")
			}
		})
		var quick, slow []string
		for i := range 10 {
			quick = append(quick, fmt.Sprintf("HEADERS %d 200 content-length=4", 3+4*i), fmt.Sprintf(`DATA %d "done" END`, 3+4*i))
			slow = append(slow, fmt.Sprintf("HEADERS %d 200 content-length=4", 1+4*i), fmt.Sprintf(`DATA %d "done" END`, 1+4*i))
		}
		k.WantAnyOrder(quick...)
		k.WantIdle()
		close(free)
		k.WantAnyOrder(slow...)
	})
}

// Output is sent although the handler has not flushed and works for long.
func TestH2WhatIsSaidLeaves(t *testing.T) {
	free := make(chan struct{})
	onH2Ways(t, server.Config{WriteBufferSize: 10, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.WriteString("more than is kept back")
		<-free
	})}, func(t *testing.T, _ *fixture, k *h2Talk) {
		free = make(chan struct{})
		for id := uint32(1); id < 8; id += 2 {
			k.get(id, "/")
			k.Want(fmt.Sprintf("HEADERS %d 200", id), fmt.Sprintf(`DATA %d "more than is kept back"`, id))
		}
		close(free)
		k.WantAnyOrder(`DATA 1 "" END`, `DATA 3 "" END`, `DATA 5 "" END`, `DATA 7 "" END`)
	})
}

// A handler that panics ends its own stream only, and the panic is counted.
func TestH2HandlersThatDoNotReturn(t *testing.T) {
	onH2Ways(t, server.Config{Logger: slog.New(slog.DiscardHandler), Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/goexit":
			runtime.Goexit()
		case "/panic":
			panic("for the test")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
	})}, func(t *testing.T, f *fixture, k *h2Talk) {
		for i, path := range []string{"/goexit", "/panic", "/abort", "/panic"} {
			k.get(uint32(1+2*i), path)
			k.Want(fmt.Sprintf("RST_STREAM %d INTERNAL_ERROR", 1+2*i))
		}
		k.get(9, "/")
		k.Want("HEADERS 9 200 content-length=0 END")
		if n := f.Stats().Panics; n != 3 {
			t.Errorf("%d panics were counted", n)
		}
	})
}

// When a handler has ended its goroutine, another worker resets the stream at once and not at the next deadline: the
// clock stands still in this test.
func TestH2GoexitIsTold(t *testing.T) {
	f, _ := still(t, listen(t), server.Config{Logger: slog.New(slog.DiscardHandler), Handler: server.HandlerFunc(h2Answers)})
	k := f.h2(t)
	for id := uint32(1); id < 8; id += 2 {
		k.get(id, "/goexit")
		k.Want(fmt.Sprintf("RST_STREAM %d INTERNAL_ERROR", id))
	}
}

// Whether runtime.Goexit in a handler counts as a fault depends on whether package nethttp serves; the stream is reset in either case,
// and others are served.
func TestH2GoexitByBehaviour(t *testing.T) {
	for manners, want := range map[bool]int64{false: 3, true: 0} {
		f := start(t, server.Manners(manners, server.Config{Logger: slog.New(slog.DiscardHandler), Handler: server.HandlerFunc(h2Answers)}))
		k := f.h2(t)
		k.Batch(func() {
			for id := uint32(1); id < 6; id += 2 {
				k.get(id, "/goexit")
			}
		})
		k.WantAnyOrder("RST_STREAM 1 INTERNAL_ERROR", "RST_STREAM 3 INTERNAL_ERROR", "RST_STREAM 5 INTERNAL_ERROR")
		k.get(7, "/hello")
		k.Want("HEADERS 7 200 content-length=5", `DATA 7 "hello" END`)
		if n := f.Stats().Panics; n != want {
			t.Errorf("net/http's manners %v: %d panics were counted, want %d", manners, n, want)
		}
	}
}

// A handler whose stream is reset notices it in every way; one that has not begun never begins.
func TestH2Reset(t *testing.T) {
	calls, told, failed := make(chan string, 1000), make(chan struct{}, 1), make(chan error, 1)
	free := make(chan struct{})
	onH2Ways(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		calls <- string(r.Path())
		switch string(r.Path()) {
		case "/gone":
			r.OnClientGone(func() { told <- struct{}{} })
			<-free
		case "/read":
			_, err := r.Body()
			failed <- err
		case "/write":
			var err error
			for err == nil {
				_, err = w.Write(make([]byte, 10_000))
			}
			failed <- err
		}
	})}, func(t *testing.T, _ *fixture, k *h2Talk) {
		free = make(chan struct{})
		for i, path := range []string{"/gone", "/read", "/write"} {
			id := uint32(1 + 2*i)
			k.post(id, path)
			if got := <-calls; got != path {
				t.Fatal(got)
			}
			k.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
			if path == "/gone" {
				<-told
			} else if err := <-failed; err == nil {
				t.Error("it went well")
			}
		}
		close(free)
		k.Framer.WritePing(false, [8]byte{7: 0xee})
		for { // the result of /write
			if s, err := k.Next(); err != nil {
				t.Fatal(err)
			} else if strings.HasPrefix(s, "PING") {
				break
			}
		}
		k.Batch(func() {
			for i := range uint32(50) {
				k.get(7+2*i, "/never")
				k.Framer.WriteRSTStream(7+2*i, http2.ErrCodeCancel)
			}
			k.get(201, "/last")
		})
		k.Want("HEADERS 201 200 content-length=0 END")
		if got := <-calls; got != "/last" {
			t.Errorf("%s was begun", got)
		}
	})
}

// The server's SETTINGS are as configured.
func TestH2LimitsOfHeads(t *testing.T) {
	many := func(n int) (l []string) {
		for i := range n {
			l = append(l, fmt.Sprintf("x-%d: 1", i))
		}
		return l
	}
	quiet := server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {})
	for name, tc := range map[string]struct {
		cfg    server.Config
		fits   []string
		beyond []string
		status int
	}{
		"many fields":         {server.Config{MaxHeadFields: 500}, request("GET", "/", many(499)...), request("GET", "/", many(500)...), 431},
		"few fields":          {server.Config{MaxHeadFields: 10}, request("GET", "/", many(9)...), request("GET", "/", many(10)...), 431},
		"head":                {server.Config{MaxHeadBytes: 2000}, request("GET", "/", "x: "+strings.Repeat("y", 1700)), request("GET", "/", "x: "+strings.Repeat("y", 1900)), 431},
		"target":              {server.Config{MaxTargetBytes: 100}, request("GET", "/"+strings.Repeat("y", 99)), request("GET", "/"+strings.Repeat("y", 100)), 414},
		"a target by default": {server.Config{}, request("GET", "/"+strings.Repeat("y", 32<<10-1)), request("GET", "/"+strings.Repeat("y", 32<<10)), 414},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Handler = quiet
			f := start(t, tc.cfg)
			k := f.h2(t)
			send := func(id uint32, lines []string) {
				b := k.block(lines...)
				first := min(len(b), 16<<10)
				k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:first], EndStream: true, EndHeaders: first == len(b)})
				for b = b[first:]; len(b) > 0; {
					n := min(len(b), 16<<10)
					k.Framer.WriteContinuation(id, n == len(b), b[:n])
					b = b[n:]
				}
			}
			send(1, tc.fits)
			k.Want("HEADERS 1 200 content-length=0 END")
			send(3, tc.beyond)
			if s, err := k.Next(); err != nil || !strings.HasPrefix(s, fmt.Sprintf("HEADERS 3 %d ", tc.status)) {
				t.Errorf("got %s, %v", s, err)
			}
			if n := f.Stats().BadRequests; n != 1 {
				t.Errorf("%d were refused", n)
			}
		})
	}
}

// A HEAD request that is refused before all of it was read gets no body (RFC 9110 §9.3.2).
func TestH2TooLargeHeadOfHEAD(t *testing.T) {
	const why = "the request's fields are too large or too many\n"
	k := start(t, server.Config{Handler: server.HandlerFunc(h2Answers), MaxHeadBytes: 1000}).h2(t)
	for id := uint32(1); id < 9; id += 4 {
		k.headers(id, true, request("HEAD", "/", "x: "+strings.Repeat("y", 1000))...)
		k.Want(fmt.Sprintf("HEADERS %d 431 content-length=%d%s END", id, len(why), asText))
		k.get(id+2, "/", "x: "+strings.Repeat("y", 1000))
		k.Want(fmt.Sprintf("HEADERS %d 431 content-length=%d%s", id+2, len(why), asText), fmt.Sprintf("DATA %d %q END", id+2, why))
	}
}

// In full duplex no 100 is sent after the response, whether the response or the first Read comes first.
func TestH2ExpectInFullDuplex(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		read := make(chan struct{})
		go func() {
			defer close(read)
			io.Copy(io.Discard, r)
		}()
		w.Flush()
		<-read
	})
	k := f.h2(t)
	for i := range uint32(200) {
		id := 1 + 2*i
		k.post(id, "/", "expect: 100-continue")
		k.data(id, "x", true)
		for answered := false; ; {
			s, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if answered && strings.Contains(s, " 100") {
				t.Fatal("100 after the response")
			}
			answered = answered || strings.Contains(s, " 200")
			if strings.HasSuffix(s, " END") {
				break
			}
		}
	}
}
