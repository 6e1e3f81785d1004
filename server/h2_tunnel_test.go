package server_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// connects is the head of a CONNECT.
func connects(more ...string) []string {
	return append([]string{":method: CONNECT", ":authority: h:1"}, more...)
}

// tunnels returns a handler that hijacks CONNECT requests, and a channel of the hijacked connections.
func tunnels(t *testing.T) (server.HandlerFunc, chan net.Conn) {
	taken := make(chan net.Conn, 100)
	return func(w *server.ResponseWriter, r *server.Request) {
		nc, rw, err := w.Hijack()
		if err != nil || rw.Reader.Buffered() != 0 {
			t.Error(err)
			return
		}
		if _, _, err := w.Hijack(); err != http.ErrHijacked {
			t.Errorf("again: %v", err)
		}
		taken <- nc
	}, taken
}

// tunnel opens a tunnel and returns the server's end.
func (k *h2Talk) tunnel(id uint32, taken <-chan net.Conn, more ...string) net.Conn {
	k.t.Helper()
	k.headers(id, false, connects(more...)...)
	k.Want(fmt.Sprintf("HEADERS %d 200", id))
	select {
	case nc := <-taken:
		return nc
	case <-time.After(30 * time.Second):
		k.t.Fatal("no tunnel")
		return nil
	}
}

// readN reads n bytes.
func readN(t *testing.T, nc net.Conn, n int) string {
	t.Helper()
	p := make([]byte, n)
	if _, err := io.ReadFull(nc, p); err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// A CONNECT on a stream works as a connection, and each half ends by itself.
func TestH2Tunnel(t *testing.T) {
	t.Parallel()
	h, taken := tunnels(t)
	onH2Ways(t, server.Config{Handler: h}, func(t *testing.T, f *fixture, k *h2Talk) {
		nc := k.tunnel(1, taken)
		k.data(1, "hello", false)
		if got := readN(t, nc, 5); got != "hello" {
			t.Errorf("got %q", got)
		}
		if n, err := nc.Write([]byte("world")); n != 5 || err != nil {
			t.Error(n, err)
		}
		k.Want(`DATA 1 "world"`)
		if n, err := nc.Write(nil); n != 0 || err != nil {
			t.Error(n, err)
		}
		if nc.LocalAddr() == nil || nc.RemoteAddr().String() != k.Conn.LocalAddr().String() {
			t.Errorf("from %v to %v", nc.RemoteAddr(), nc.LocalAddr())
		}
		half := nc.(interface{ CloseWrite() error })
		if err := half.CloseWrite(); err != nil {
			t.Error(err)
		}
		k.Want(`DATA 1 "" END`)
		if _, err := nc.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if err := half.CloseWrite(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		k.data(1, "more", true)
		if got, err := io.ReadAll(nc); string(got) != "more" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if err := nc.Close(); err != nil {
			t.Error(err)
		}
		for _, err := range []error{nc.Close(), half.CloseWrite()} {
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		if _, err := nc.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		k.WantIdle()

		// Extended CONNECT (RFC 8441), which the server ends.
		nc = k.tunnel(3, taken, ":protocol: mine", ":scheme: http", ":path: /")
		nc.Close()
		k.Want(`DATA 3 "" END`, "RST_STREAM 3 NO_ERROR")
		k.WantIdle()
	})
}

// A Read and a Write that wait end when the stream or the connection ends.
func TestH2TunnelEnds(t *testing.T) {
	h, taken := tunnels(t)
	for name, tc := range map[string]struct {
		end  func(nc net.Conn, k *h2Talk)
		is   func(err error) bool
		want []string
	}{
		"close": {func(nc net.Conn, _ *h2Talk) { nc.Close() }, func(err error) bool { return errors.Is(err, net.ErrClosed) },
			[]string{`DATA 1 "" END`, "RST_STREAM 1 NO_ERROR"}},
		"abort": {func(nc net.Conn, _ *h2Talk) { nc.(interface{ Abort() error }).Abort() }, func(err error) bool { return errors.Is(err, net.ErrClosed) },
			[]string{"RST_STREAM 1 CONNECT_ERROR"}},
		"deadline": {func(nc net.Conn, _ *h2Talk) { nc.SetDeadline(time.Unix(1, 0)) }, func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }, nil},
		"reset":    {func(_ net.Conn, k *h2Talk) { k.Framer.WriteRSTStream(1, http2.ErrCodeCancel) }, func(err error) bool { return err != nil && err != io.EOF }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range h2Ways[:3] {
				f, dial := w.dial(t, server.Config{Handler: h})
				k := h2On(t, dial(), http2.Setting{ID: http2.SettingInitialWindowSize, Val: 3})
				nc := k.tunnel(1, taken)
				read, written := make(chan error, 1), make(chan error, 1)
				go func() { _, err := nc.Read(make([]byte, 1)); read <- err }()
				go func() { _, err := nc.Write([]byte("abcdef")); written <- err }()
				k.Want(`DATA 1 "abc"`)
				tc.end(nc, k)
				for _, ended := range []chan error{read, written} {
					select {
					case err := <-ended:
						if !tc.is(err) {
							t.Errorf("%s: got %v", w.name, err)
						}
					case <-time.After(30 * time.Second):
						t.Fatalf("%s: it waits on", w.name)
					}
				}
				k.Want(tc.want...)
				nc.Close()
				f.Close()
			}
		})
	}
}

// Each half of a tunnel has its own deadline, and a deadline that was removed has no effect.
func TestH2TunnelDeadlines(t *testing.T) {
	h, taken := tunnels(t)
	f := start(t, server.Config{Handler: h, ReadTimeout: time.Hour, WriteTimeout: time.Hour})
	k := f.h2(t)
	nc := k.tunnel(1, taken)
	defer nc.Close()
	nc.SetReadDeadline(time.Unix(1, 0))
	if _, err := nc.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := nc.Write([]byte("a")); err != nil {
		t.Error(err)
	}
	nc.SetWriteDeadline(time.Unix(1, 0))
	var op *net.OpError
	if _, err := nc.Write([]byte("b")); !errors.As(err, &op) || op.Op != "write" || !op.Timeout() {
		t.Errorf("got %v", err)
	}
	nc.SetDeadline(time.Time{})
	if _, err := nc.Write([]byte("c")); err != nil {
		t.Error(err)
	}
	k.data(1, "what has", false)
	if got := readN(t, nc, 4); got != "what" {
		t.Errorf("got %q", got)
	}
	nc.SetReadDeadline(time.Now()) // the rest has arrived
	if n, err := nc.Read(make([]byte, 9)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	nc.SetReadDeadline(time.Time{})
	if got := readN(t, nc, 4); got != " has" {
		t.Errorf("got %q", got)
	}
	k.Want(`DATA 1 "a"`, `DATA 1 "c"`)
	k.data(1, "d", false)
	if got := readN(t, nc, 1); got != "d" {
		t.Errorf("got %q", got)
	}
}

// Neither the server's timeouts nor its minimum rate end a tunnel that carries no data, or whose client reads nothing for
// now.
func TestH2TunnelPauses(t *testing.T) {
	h, taken := tunnels(t)
	f, clk := still(t, listen(t), server.Config{Handler: h, MinWriteRate: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: time.Minute})
	k := f.h2(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 3})
	nc := k.tunnel(1, taken)
	defer nc.Close()
	read, written := make(chan string, 1), make(chan error, 1)
	go func() { read <- readN(t, nc, 1) }()
	go func() { _, err := nc.Write([]byte("abcdef")); written <- err }()
	k.Want(`DATA 1 "abc"`) // the rest waits for a window
	k.passes(clk, 10*time.Minute, 500*time.Millisecond)
	k.data(1, "x", false)
	if got := <-read; got != "x" {
		t.Errorf("got %q", got)
	}
	k.Framer.WriteWindowUpdate(1, 3)
	k.Want(`DATA 1 "def"`)
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// Hijack returns what was read ahead first, and once; a refused CONNECT and other requests cannot be hijacked.
func TestH2Hijack(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Header().Get("X-How")) {
		case "read first":
			w.EnableFullDuplex()
			p := make([]byte, 2)
			if _, err := io.ReadFull(r, p); err != nil {
				t.Error(err)
			}
			w.SetStatus(201)
			w.Flush()
			nc, rw, err := w.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			rest, err := io.ReadAll(rw)
			fmt.Fprintf(nc, "%s then %s %v", p, rest, err)
			nc.Close()
		case "refused":
			w.SetStatus(403)
			w.Flush()
			fallthrough
		default:
			if _, _, err := w.Hijack(); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("got %v", err)
			}
		}
	})
	k := f.h2(t)
	k.headers(1, false, connects("x-how: read first")...)
	k.data(1, "abcdef", false)
	k.Want("HEADERS 1 201")
	k.data(1, "gh", true)
	k.Want(`DATA 1 "ab then cdefgh <nil>"`, `DATA 1 "" END`)
	k.headers(3, false, connects("x-how: refused")...)
	k.Want("HEADERS 3 403", `DATA 3 "" END`, "RST_STREAM 3 NO_ERROR")
	k.get(5, "/")
	k.Want("HEADERS 5 200 content-length=0 END")
}

// A CONNECT that the handler does not accept cannot be hijacked, and can still be answered.
func TestH2HijackByStatus(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		status, _ := strconv.Atoi(string(r.Header().Get("X-Status")))
		w.SetStatus(status)
		nc, _, err := w.Hijack()
		if taken := err == nil; taken != (status < 300) {
			t.Errorf("%d: taken over %v, %v", status, taken, err)
		}
		if err == nil {
			nc.Close()
		}
	})
	k := f.h2(t)
	for i, status := range []int{200, 299, 300, 301, 404} {
		id := uint32(1 + 2*i)
		k.headers(id, false, connects(fmt.Sprint("x-status: ", status))...)
		if status < 300 {
			k.Want(fmt.Sprintf("HEADERS %d %d", id, status), fmt.Sprintf("DATA %d \"\" END", id))
		} else { // it was not sent before its end
			k.Want(fmt.Sprintf("HEADERS %d %d content-length=0 END", id, status))
		}
		k.Want(fmt.Sprintf("RST_STREAM %d NO_ERROR", id))
	}
	k.WantIdle()
}

// After a Hijack that is not supported the handler can still send another response.
func TestH2HijackRefusedSendsNothing(t *testing.T) {
	k := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(403)
		if string(r.Method()) == "GET" {
			w.SetStatus(101)
		}
		if _, _, err := w.Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("got %v", err)
		}
		w.SetStatus(404)
	}).h2(t)
	k.get(1, "/")
	k.Want("HEADERS 1 404 content-length=0 END")
	k.headers(3, false, connects()...)
	k.Want("HEADERS 3 404 content-length=0 END", "RST_STREAM 3 NO_ERROR")
}

// A tunnel outlives its handler, also one that panics or calls runtime.Goexit.
func TestH2TunnelOutlivesItsHandler(t *testing.T) {
	taken := make(chan net.Conn, 1)
	onH2Ways(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		nc, _, err := w.Hijack()
		if err != nil {
			t.Error(err)
		}
		taken <- nc
		switch string(r.Header().Get("X-How")) {
		case "panic":
			panic(server.ErrAbort)
		case "goexit":
			runtime.Goexit()
		}
	}), Logger: slog.New(slog.DiscardHandler)}, func(t *testing.T, _ *fixture, k *h2Talk) {
		for i, how := range []string{"return", "panic", "goexit"} {
			id := uint32(1 + 2*i)
			nc := k.tunnel(id, taken, "x-how: "+how)
			k.WantIdle()
			k.data(id, "hello", false)
			if got := readN(t, nc, 5); got != "hello" {
				t.Errorf("got %q", got)
			}
			if _, err := nc.Write([]byte("world")); err != nil {
				t.Error(err)
			}
			k.Want(fmt.Sprintf("DATA %d \"world\"", id))
			if err := nc.Close(); err != nil {
				t.Error(err)
			}
			k.Want(fmt.Sprintf("DATA %d \"\" END", id), fmt.Sprintf("RST_STREAM %d NO_ERROR", id))
		}
		k.WantIdle()
	})
}

// What Close of a tunnel sends depends on what was sent before.
func TestH2TunnelHalves(t *testing.T) {
	h, taken := tunnels(t)
	k := start(t, server.Config{Handler: h}).h2(t)
	for i, tc := range []struct {
		client, half, abort bool
		want                []string
	}{
		{false, false, false, []string{`DATA %d "" END`, "RST_STREAM %d NO_ERROR"}},
		{true, false, false, []string{`DATA %d "" END`}},
		{false, true, false, []string{`DATA %d "" END`, "RST_STREAM %d NO_ERROR"}},
		{true, true, false, []string{`DATA %d "" END`}},
		{false, false, true, []string{"RST_STREAM %d CONNECT_ERROR"}},
		{true, false, true, []string{"RST_STREAM %d CONNECT_ERROR"}},
		{false, true, true, []string{`DATA %d "" END`, "RST_STREAM %d CONNECT_ERROR"}},
		{true, true, true, []string{`DATA %d "" END`}},
	} {
		id := uint32(1 + 2*i)
		nc := k.tunnel(id, taken)
		if tc.client {
			k.data(id, "", true)
			if _, err := nc.Read(make([]byte, 1)); err != io.EOF {
				t.Error(err)
			}
		}
		if tc.half {
			if err := nc.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
				t.Error(err)
			}
		}
		end := nc.Close
		if tc.abort {
			end = nc.(interface{ Abort() error }).Abort
		}
		if err := end(); err != nil {
			t.Errorf("%+v: %v", tc, err)
		}
		for _, want := range tc.want {
			k.Want(fmt.Sprintf(want, id))
		}
		k.WantIdle()
		for _, end := range []func() error{nc.Close, nc.(interface{ Abort() error }).Abort} {
			if err := end(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("again: %v", err)
			}
		}
		k.WantIdle()
	}
}

// All methods of a tunnel may be called at once, while the client sends, grants and resets; no call waits for ever.
func TestH2TunnelStorm(t *testing.T) {
	h, taken := tunnels(t)
	for _, w := range h2Ways[:3] {
		t.Run(w.name, func(t *testing.T) {
			_, dial := w.dial(t, server.Config{Handler: h})
			k := h2On(t, dial(), http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
			go io.Copy(io.Discard, k.Conn)
			var users sync.WaitGroup
			for id := uint32(1); id < 40; id += 2 {
				k.headers(id, false, connects()...)
				nc := <-taken
				k.data(id, strings.Repeat("x", 100), false)
				for range 2 {
					users.Go(func() { io.Copy(io.Discard, nc) })
					users.Go(func() {
						for {
							if _, err := nc.Write(make([]byte, 300)); err != nil {
								return
							}
						}
					})
				}
				users.Go(func() { nc.SetDeadline(time.Now().Add(time.Hour)); nc.(interface{ CloseWrite() error }).CloseWrite() })
				k.Framer.WriteWindowUpdate(id, 500)
				switch id % 3 {
				case 0:
					k.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
				case 1:
					users.Go(func() { nc.(interface{ Abort() error }).Abort() })
				}
				users.Go(func() { nc.Close() })
			}
			ended := make(chan struct{})
			go func() { users.Wait(); close(ended) }()
			within(t, "all to end", ended)
		})
	}
}

// A function given to OnClientGone is not called after the handler has returned, as on a connection of HTTP/1.1.
func TestH2TunnelOutlivesOnGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		taken, gone := make(chan net.Conn, 1), make(chan struct{})
		startOn(t, l, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			r.OnClientGone(func() { close(gone) })
			nc, _, err := w.Hijack()
			if err != nil {
				t.Error(err)
			}
			taken <- nc
			if string(r.Path()) == "/panics" {
				panic(server.ErrAbort)
			}
		})})
		c, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := h2On(t, c)
		for i, more := range [][]string{nil, {":protocol: mine", ":scheme: http", ":path: /panics"}} {
			id := uint32(2*i + 1)
			nc := k.tunnel(id, taken, more...)
			synctest.Wait() // the handler has returned
			k.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
			synctest.Wait()
			select {
			case <-gone:
				t.Fatalf("%d: called after the handler has returned", id)
			default:
			}
			nc.Close()
		}
	})
}
