package server_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// short is long enough to get a response, and short enough to wait for.
const short = 100 * time.Millisecond

func wantStatus(t *testing.T, answer, status string) {
	t.Helper()
	if !strings.HasPrefix(answer, "HTTP/1.1 "+status+"\r\n") || !strings.Contains(answer, "Connection: close\r\n") {
		t.Errorf("want %s and Connection: close, got %q", status, answer)
	}
}

func TestHeadLimits(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), MaxHeadBytes: 1000, MaxHeadFields: 5, MaxTargetBytes: 100})
	for _, c := range []struct{ name, request, status string }{
		{"within", "GET /" + strings.Repeat("a", 90) + " HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\nC: 3\r\nConnection: close\r\n\r\n", "200 OK"},
		{"MaxHeadBytes", "GET / HTTP/1.1\r\nHost: h\r\nA: " + strings.Repeat("a", 1000) + "\r\n\r\n", "431 Request Header Fields Too Large"},
		{"MaxHeadBytes, without an end", "GET / HTTP/1.1\r\nHost: h\r\nA: " + strings.Repeat("a", 100000), "431 Request Header Fields Too Large"},
		{"MaxHeadFields", "GET / HTTP/1.1\r\nHost: h\r\n" + strings.Repeat("A: a\r\n", 5) + "\r\n", "431 Request Header Fields Too Large"},
		{"MaxTargetBytes", "GET /" + strings.Repeat("a", 100) + " HTTP/1.1\r\nHost: h\r\n\r\n", "414 URI Too Long"},
	} {
		t.Run(c.name, func(t *testing.T) { wantStatus(t, f.exchange(t, c.request), c.status) })
	}
	if got := f.Stats().BadRequests; got != 4 {
		t.Errorf("BadRequests is %d, want 4", got)
	}
}

func TestDefaultHeadLimits(t *testing.T) {
	f := handle(t, path)
	field := "A: " + strings.Repeat("a", 1000) + "\r\n"
	wantStatus(t, f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n"+closeField+strings.Repeat(field, 60)+"\r\n"), "200 OK")
	wantStatus(t, f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n"+closeField+strings.Repeat(field, 70)+"\r\n"), "431 Request Header Fields Too Large")
	wantStatus(t, f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n"+closeField+strings.Repeat("A: a\r\n", 198)+"\r\n"), "200 OK")
	wantStatus(t, f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n"+closeField+strings.Repeat("A: a\r\n", 199)+"\r\n"), "431 Request Header Fields Too Large")
}

func TestNegativeLimitsAreNone(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(collect), MaxHeadBytes: -1, MaxHeadFields: -1, MaxTargetBytes: -1, MaxBodyBytes: -1})
	fields := closeField + "Content-Length: 3\r\n" + strings.Repeat("A: "+strings.Repeat("a", 1000)+"\r\n", 300)
	wantStatus(t, f.exchange(t, post(fields, "abc")), "200 OK")
}

func TestMaxKeepAliveRequests(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), MaxKeepAliveRequests: 2})
	k := f.talk(t)
	k.Send(strings.Repeat("GET /a HTTP/1.1\r\nHost: h\r\n\r\n", 3))
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2")
	k.Want("/a")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")
	k.Want("/a")
	k.WantEOF()
}

func TestDisableKeepAlive(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), DisableKeepAlive: true})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")
	k.Want("/a")
	k.WantEOF()
}

func TestMaxConns(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), MaxConns: 1})
	first, second := f.talk(t), f.talk(t)
	first.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	first.WantUntil("/a")
	second.Send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	second.WantSilence(short)
	first.Close()
	second.WantUntil("/b")
}

func TestWriteBufferSize(t *testing.T) {
	for size, field := range map[int]string{3: "Transfer-Encoding: chunked", 4: "Content-Length: 4"} {
		f := start(t, server.Config{WriteBufferSize: size, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.WriteString("ab")
			w.WriteString("cd")
		})})
		k := f.talk(t)
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		wantHead(t, k, "HTTP/1.1 200 OK", field)
	}
}

func TestReadBufferSize(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(collect), ReadBufferSize: 16})
	k := f.talk(t)
	k.Send(post(chunkedField, "a\r\nabcdefghij\r\n0\r\n\r\n"))
	k.WantUntil("abcdefghij|<nil>|")
}

func TestReadHeaderTimeout(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), ReadHeaderTimeout: short})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HT")
	k.WantUntil("/a")
	wantStatus(t, k.Rest(), "408 Request Timeout")
	if got := f.Stats().Timeouts; got != 1 {
		t.Errorf("Timeouts is %d, want 1", got)
	}
}

// An empty line after a body, which some clients send, does not begin a request, so no timeout response follows it.
func TestASlowEmptyLineIsNoRequest(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), ReadHeaderTimeout: short})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\n")
	k.WantUntil("/a")
	k.WantEOF()
}

// A response is sent even long after the deadline of an earlier one.
func TestTheDeadlineOfOneAnswerIsNotTheNextOnes(t *testing.T) {
	const limit = short / 4
	f, clk := still(t, listen(t), server.Config{Handler: server.HandlerFunc(path), WriteTimeout: limit})
	k, last := f.talk(t), time.Now()
	pause := func() { // the clock advances only between the requests, so that no response can be late
		k.WantSilence(2 * limit)
		clk.Advance(time.Since(last))
		last = time.Now()
	}
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/a")
	pause()
	k.Send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/b")
	pause()
	k.Send("BAD\r\n\r\n")
	wantStatus(t, k.Rest(), "400 Bad Request")
}

func TestIdleTimeout(t *testing.T) {
	f, clk := still(t, listen(t), server.Config{Handler: server.HandlerFunc(path), IdleTimeout: time.Minute})
	k := f.talk(t)
	for range 2 {
		k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil("/a")
		clk.Advance(time.Minute / 2)
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	defer func() {
		close(ended)
		<-stopped
	}()
	go func() {
		defer close(stopped)
		for { // it may not have begun to wait a moment ago
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
				clk.Advance(time.Minute)
			}
		}
	}()
	k.WantEOF()
}

func TestIdlePark(t *testing.T) {
	f := start(t, server.Config{Handler: server.HandlerFunc(path), IdlePark: 10 * time.Millisecond})
	k := f.talk(t)
	for range 2 {
		k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil("/a")
		if canPark() {
			eventually(t, "the idle connection to park", func() bool { return f.Stats().ParkedConnections == 1 })
		}
	}
}

func TestReadTimeout(t *testing.T) {
	f := start(t, server.Config{ReadTimeout: short, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { r.Body() })})
	k := f.talk(t)
	k.Send(post("Content-Length: 5\r\n", "abc"))
	wantStatus(t, k.Rest(), "408 Request Timeout")
}

func TestMinReadRate(t *testing.T) {
	f := start(t, server.Config{MinReadRate: 1000, RateGrace: short, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { r.Body() })})
	k := f.talk(t)
	k.Send(post("Content-Length: 5\r\n", "abc"))
	wantStatus(t, k.Rest(), "408 Request Timeout")
}

// stuff writes until a write fails, and sends its error.
func stuff(failed chan<- error) server.HandlerFunc {
	return func(w *server.ResponseWriter, r *server.Request) {
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				failed <- err
				return
			}
		}
	}
}

// A client that does not read is disconnected. The minimum rate is so high that its buffers do not hide this for long.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]server.Config{
		"WriteTimeout": {WriteTimeout: short, MinWriteRate: -1},
		"MinWriteRate": {MinWriteRate: 1 << 20, RateGrace: short},
	} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 1)
			cfg.Handler = stuff(failed)
			k := start(t, cfg).talk(t)
			k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			select {
			case <-failed:
			case <-time.After(time.Minute):
				t.Fatal("the handler still writes to a client that does not read")
			}
		})
	}
}

func TestHandlersDeadlines(t *testing.T) {
	t.Parallel()
	t.Run("reading", func(t *testing.T) {
		f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
			w.SetReadDeadline(time.Now().Add(short))
			r.Body()
		})
		k := f.talk(t)
		k.Send(post("Content-Length: 5\r\n", "abc"))
		wantStatus(t, k.Rest(), "408 Request Timeout")
	})
	t.Run("writing, and not for the next request", func(t *testing.T) {
		f, clk := still(t, listen(t), server.Config{IdleTimeout: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/past" {
				w.SetWriteDeadline(time.Now().Add(time.Hour))
				path(w, r)
				return
			}
			w.WriteText(strings.Repeat("/next", 1<<20))
		})})
		k := f.talk(t)
		k.Send("GET /past HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil("/past")
		clk.Advance(2 * time.Hour)
		k.Send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantUntil("\r\n\r\n")
		k.WantN(5 << 20) // more than the socket takes at once: the server has to wait
	})
}

func TestShutdown(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		close(entered)
		<-release
		if !r.ShuttingDown() {
			t.Error("the server shuts down and Draining does not say so")
		}
		path(w, r)
	})
	idle, busy := f.talk(t), f.talk(t)
	busy.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	<-entered
	done := make(chan error, 1)
	go func() { done <- f.Shutdown(context.Background()) }()
	idle.WantEOF()
	idle.Close()
	if _, err := net.Dial("tcp", f.addr); err == nil {
		t.Error("the server still listens")
	}
	close(release)
	wantHead(t, busy, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")
	busy.Want("/a")
	busy.WantEOF()
	busy.Close()
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		close(entered)
		<-release
	})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	<-entered
	ctx, cancel := context.WithTimeout(context.Background(), short)
	defer cancel()
	if err := f.Shutdown(ctx); err != context.DeadlineExceeded {
		t.Errorf("Shutdown: %v", err)
	}
	f.Close()
	k.WantGone()
	close(release)
}

// Functions of RegisterOnShutdown run while a request is still being handled, which may wait for them, and one that does
// not return delays nothing.
func TestRegisterOnShutdown(t *testing.T) {
	entered, told, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		close(entered)
		<-told
		path(w, r)
	})
	f.RegisterOnShutdown(sync.OnceFunc(func() { close(told) })) // the fixture shuts down again
	f.RegisterOnShutdown(func() { <-release })
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	<-entered
	done := make(chan error, 1)
	go func() { done <- f.Shutdown(t.Context()) }()
	k.WantUntil("/a")
	k.WantEOF()
	k.Close() // the last response has arrived: there is no reason to linger
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	close(release)
}

// All functions that many goroutines register with RegisterOnShutdown run.
func TestRegisterOnShutdownTogether(t *testing.T) {
	const many = 50
	f := handle(t, path)
	ran := make(chan int, 2*many) // the fixture shuts down again
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() { f.RegisterOnShutdown(func() { ran <- i }) })
	}
	wg.Wait()
	if err := f.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	sum := 0
	for range many {
		sum += wiretest.Within(t, "what is registered to run", ran)
	}
	if sum != many*(many-1)/2 {
		t.Errorf("the sum is %d", sum)
	}
}

func TestServeErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.NewServer(server.Config{}).Serve(l); err == nil {
		t.Error("a server without handler served")
	}
	if _, err := l.Accept(); err == nil {
		t.Error("Serve did not close the listener")
	}
	s := server.NewServer(server.Config{Handler: server.HandlerFunc(path), Addr: "127.0.0.1:0"})
	s.Close()
	if err := s.ListenAndServe(); err != server.ErrServerClosed {
		t.Errorf("after Close: %v", err)
	}
}
