package nethttp_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// wire is a connection of HTTP/1.1 whose every byte is written by the test.
type wire struct {
	t  *testing.T
	nc net.Conn
	r  *bufio.Reader
	n  int // which connection it is, from 0
}

func newWire(t *testing.T, nc net.Conn) *wire { return &wire{t: t, nc: nc, r: bufio.NewReader(nc)} }

// speak calls say for each connection, on its own goroutine, and returns the address. When say returns the connection is
// closed.
func speak(t *testing.T, say func(w *wire)) (addr string) {
	t.Helper()
	return acceptAll(t, func(nc net.Conn, n int) {
		w := newWire(t, nc)
		w.n = n
		say(w)
	})
}

// acceptAll calls say for each connection with its number, and closes the connection when say returns.
func acceptAll(t testing.TB, say func(nc net.Conn, n int)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer nc.Close()
				say(patient{nc}, n)
			})
		}
	})
	return l.Addr().String()
}

// patient is a connection with a deadline for each wait. How long a whole conversation takes depends on the machine.
type patient struct{ net.Conn }

// Read implements net.Conn.
func (p patient) Read(b []byte) (int, error) {
	p.SetReadDeadline(time.Now().Add(patience))
	return p.Conn.Read(b)
}

// Write implements net.Conn.
func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(patience))
	return p.Conn.Write(b)
}

// head reads a request's head; it is empty at the end.
func (w *wire) head() string {
	var b strings.Builder
	for {
		line, err := w.r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String()
		}
	}
}

// want reads as many bytes as s has, which must be s.
func (w *wire) want(s string) {
	w.t.Helper()
	b := make([]byte, len(s))
	n, err := io.ReadFull(w.r, b)
	if string(b[:n]) != s {
		w.t.Errorf("connection %d: got %q, %v\nwant %q", w.n, b[:n], err, s)
	}
}

func (w *wire) send(s string) { io.WriteString(w.nc, s) }

// end waits until the client closes, and fails if it sends anything before.
func (w *wire) end() {
	w.t.Helper()
	if b, err := io.ReadAll(w.r); len(b) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		w.t.Errorf("connection %d: got %q, %v, want the end", w.n, b, err)
	}
}

// skip waits until the client closes.
func (w *wire) skip() { io.Copy(io.Discard, w.r) }
