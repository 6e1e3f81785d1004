package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// within waits for c, and fails the test if that takes too long.
func within(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		t.Fatal("waited in vain: " + what)
	}
}

// Nothing refers to a connection that has ended, neither its clock nor a worker that now serves others.
func TestH2EndedConnectionIsLetGo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(k *h2Talk){
		"closed": func(k *h2Talk) { k.Conn.Close() },
		"broken": func(k *h2Talk) { k.Framer.WriteRawFrame(http2.FramePing, 0, 0, nil); k.WantGone() },
		"in the middle": func(k *h2Talk) {
			k.post(3, "/echo")
			k.WantIdle()
			k.Conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			var others atomic.Bool // the following connections are not watched
			cfg := server.Config{Handler: server.HandlerFunc(h2Answers), OnConn: func(net.Listener, net.Conn) any {
				if others.Load() {
					return nil
				}
				v := new([64]byte)
				runtime.AddCleanup(v, func(c chan struct{}) { close(c) }, gone)
				return v
			}}
			f := start(t, cfg)
			k := f.h2(t)
			others.Store(true)
			other := f.h2(t) // the end of this one does not matter
			k.get(1, "/hello")
			k.Want("HEADERS 1 200 content-length=5", `DATA 1 "hello" END`)
			other.WantIdle()
			end(k)
			for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
				runtime.GC()
				select {
				case <-gone:
					return
				default:
				}
			}
			t.Error("something still holds the connection")
		})
	}
}

// Requests that arrived before the client closed its side get their responses; unfinished ones fail, and OnClientGone is
// called.
func TestH2EndOfTheClientsHalf(t *testing.T) {
	told, failed := make(chan struct{}), make(chan error, 1)
	cfg := server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/body" {
			_, err := r.Body()
			failed <- err
			return
		}
		r.OnClientGone(func() { close(told) })
		<-told
		w.WriteString("still here")
	})}
	for _, w := range h2Ways[:3] {
		t.Run(w.name, func(t *testing.T) {
			told, failed = make(chan struct{}), make(chan error, 1)
			_, dial := w.dial(t, cfg)
			k := h2On(t, dial())
			k.get(1, "/")
			k.post(3, "/body")
			k.data(3, "cut", false)
			k.WantIdle()
			k.Conn.(interface{ CloseWrite() error }).CloseWrite()
			k.WantAnyOrder("HEADERS 1 200 content-length=10", `DATA 1 "still here" END`,
				"HEADERS 3 400 content-length=33"+asText, "DATA 3 \"the request's body was cut short\\n\" END",
				"RST_STREAM 3 NO_ERROR")
			if err := <-failed; !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			k.wantEOF()
		})
	}
}

// Shutdown sends GOAWAY, lets open streams finish, and accepts the streams that the client opened before it could know.
func TestH2Shutdown(t *testing.T) {
	for _, w := range h2Ways {
		t.Run(w.name, func(t *testing.T) {
			begun, free := make(chan struct{}), make(chan struct{})
			f, dial := w.dial(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Path()) == "/slow" {
					close(begun)
					<-free
				}
				w.WriteString("done")
			})})
			idle, k := h2On(t, dial()), h2On(t, dial())
			k.get(1, "/slow")
			within(t, "the handler", begun)
			ended := make(chan error, 1)
			go func() { ended <- f.Shutdown(context.Background()) }()
			idle.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
			idle.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
			idle.Want("GOAWAY 0 NO_ERROR")
			idle.wantEOF()
			k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
			k.get(3, "/quick")
			k.Want("HEADERS 3 200 content-length=4", `DATA 3 "done" END`)
			k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
			k.Want("GOAWAY 3 NO_ERROR")
			k.get(5, "/ignored")
			k.WantIdle()
			select {
			case err := <-ended:
				t.Fatalf("Shutdown did not wait: %v", err)
			default:
			}
			close(free)
			k.Want("HEADERS 1 200 content-length=4", `DATA 1 "done" END`)
			k.wantEOF()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// Shutdown waits for a handler whose stream was reset.
func TestH2ShutdownWaitsForHandlers(t *testing.T) {
	begun, free := make(chan struct{}), make(chan struct{})
	f := handle(t, func(*server.ResponseWriter, *server.Request) { close(begun); <-free })
	k := f.h2(t)
	k.get(1, "/")
	within(t, "the handler", begun)
	k.Framer.WriteRSTStream(1, http2.ErrCodeCancel)
	k.WantIdle()
	ended := make(chan error, 1)
	go func() { ended <- f.Shutdown(context.Background()) }()
	k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
	k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
	k.Want("GOAWAY 1 NO_ERROR")
	k.WantIdle()
	select {
	case err := <-ended:
		t.Fatalf("Shutdown did not wait: %v", err)
	default:
	}
	close(free)
	k.wantEOF()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A connection that is shut down ends with its last stream, without waiting.
func TestH2ShutdownGoesOnAtOnce(t *testing.T) {
	tunnel, taken := tunnels(t)
	for name, end := range map[string]func(k *h2Talk, nc net.Conn, free chan struct{}){
		"a response": func(k *h2Talk, nc net.Conn, free chan struct{}) {
			nc.Close()
			k.Want(`DATA 1 "" END`, "RST_STREAM 1 NO_ERROR")
			close(free)
			k.Want("HEADERS 3 200 content-length=0 END")
		},
		"a tunnel": func(k *h2Talk, nc net.Conn, free chan struct{}) {
			close(free)
			k.Want("HEADERS 3 200 content-length=0 END")
			nc.Close()
			k.Want(`DATA 1 "" END`, "RST_STREAM 1 NO_ERROR")
		},
	} {
		t.Run(name, func(t *testing.T) {
			free, begun := make(chan struct{}), make(chan struct{})
			f, _ := still(t, listen(t), server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
				if string(r.Method()) == "CONNECT" {
					tunnel(w, r)
					return
				}
				close(begun)
				<-free
			})})
			k := f.h2(t)
			nc := k.tunnel(1, taken)
			k.get(3, "/")
			within(t, "the handler", begun)
			ended := make(chan error, 1)
			go func() { ended <- f.Shutdown(context.Background()) }()
			k.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
			k.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
			k.Want("GOAWAY 3 NO_ERROR")
			end(k, nc, free)
			k.wantEOF()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// Shutdown waits for a handler whose client has left.
func TestH2ShutdownWaitsForLeftHandlers(t *testing.T) {
	begun, free := make(chan struct{}), make(chan struct{})
	f := handle(t, func(*server.ResponseWriter, *server.Request) { close(begun); <-free })
	k := f.h2(t)
	k.get(1, "/")
	within(t, "the handler", begun)
	k.Conn.(*net.TCPConn).SetLinger(0)
	k.Conn.Close()
	for f.Stats().OpenConnections > 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Shutdown(ctx); err != context.Canceled {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- f.Shutdown(context.Background()) }()
	close(free)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Close ends connections at once, and their handlers see it.
func TestH2Abort(t *testing.T) {
	begun, failed := make(chan struct{}), make(chan error, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		close(begun)
		_, err := r.Body()
		failed <- err
		if _, err := w.WriteString(strings.Repeat("x", 10_000)); err == nil {
			t.Error("a write on a dead connection went well")
		}
	})
	k := f.h2(t)
	k.post(1, "/")
	within(t, "the handler", begun)
	f.Close()
	if err := <-failed; err == nil {
		t.Error("the body was whole")
	}
	k.WantGone()
}

// The responses to requests that arrived together are sent in one write.
func TestH2Writes(t *testing.T) {
	l := wiretest.Count(listen(t))
	startOn(t, l, server.Config{Handler: server.HandlerFunc(h2Answers)})
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	k := h2On(t, nc)
	k.WantIdle()
	c := l.Conns()[0]
	was := c.Writes()
	for i := range uint32(10) {
		k.get(1+2*i, "/hello")
		k.Want(fmt.Sprintf("HEADERS %d 200 content-length=5", 1+2*i), fmt.Sprintf("DATA %d \"hello\" END", 1+2*i))
	}
	if n := c.Writes() - was; n > 11 { // one may have been counted late
		t.Errorf("10 responses were sent in %d writes", n)
	}
	was = c.Writes()
	k.Batch(func() {
		for i := range uint32(100) {
			k.get(101+2*i, "/hello")
		}
	})
	for range 200 {
		if _, err := k.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Writes() - was; n > 10 {
		t.Errorf("100 responses were sent in %d writes", n)
	}
}
