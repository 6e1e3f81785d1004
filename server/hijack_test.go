package server_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// takeOver hijacks the connection, reports what was read ahead, and echoes until the end.
func takeOver(t *testing.T) server.HandlerFunc {
	return func(w *server.ResponseWriter, r *server.Request) {
		nc, rw, err := w.Hijack()
		if err != nil {
			t.Errorf("Hijack: %v", err)
			return
		}
		if _, err := w.Write([]byte("x")); err != http.ErrHijacked {
			t.Errorf("Write after Hijack: %v", err)
		}
		if _, _, err := w.Hijack(); err != http.ErrHijacked {
			t.Errorf("second Hijack: %v", err)
		}
		ahead := make([]byte, rw.Reader.Buffered())
		io.ReadFull(rw, ahead)
		rw.WriteString("mine:" + string(ahead) + ";")
		rw.Flush()
		io.Copy(nc, rw)
		nc.Close()
	}
}

func TestHijack(t *testing.T) {
	for _, c := range []struct{ name, request, want string }{
		{"a plain request", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "mine:;"},
		{"with bytes behind it", "GET / HTTP/1.1\r\nHost: h\r\n\r\nbehind", "mine:behind;"},
		{"with an unread body", post("Content-Length: 3\r\n", "abcdef"), "mine:abcdef;"},
		{"an upgrade", "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: mine\r\n\r\nbehind", "mine:behind;"},
		{"CONNECT", "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\nbehind", "mine:behind;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := handle(t, takeOver(t)).talk(t)
			k.Send(c.request)
			k.Want(c.want)
			k.Send("echo")
			k.Want("echo")
			k.HalfClose()
			k.WantEOF()
		})
	}
}

// A hijacked connection belongs to its new owner after the handler has returned, also after Server.Close.
func TestHijackOutlivesTheHandler(t *testing.T) {
	owner := make(chan io.ReadWriteCloser, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		nc, _, err := w.Hijack()
		if err != nil {
			t.Error(err)
		}
		owner <- nc
	})
	k := f.talk(t)
	k.Send("GET /text HTTP/1.1\r\nHost: h\r\n\r\n")
	nc := <-owner
	f.Close()
	io.WriteString(nc, "hello")
	k.Want("hello")
	k.Send("you")
	got := make([]byte, 3)
	if _, err := io.ReadFull(nc, got); err != nil || string(got) != "you" {
		t.Errorf("got %q, %v", got, err)
	}
	nc.Close()
	k.WantEOF()
}

func TestHijackAfterAnAnswer(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(101)
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "mine")
		takeOver(t)(w, r)
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: mine\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: mine")
	k.Want("mine:;")
	k.HalfClose()
	k.WantEOF()
}

// Responses before a Hijack are sent to the client.
func TestPipelinedAnswersLeaveBeforeAHijack(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/text" {
			w.WriteText("hello")
			return
		}
		takeOver(t)(w, r)
	})
	k := f.talk(t)
	k.Send("GET /text HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\nbehind")
	k.WantUntil("hello")
	k.Want("mine:behind;")
	k.HalfClose()
	k.WantEOF()
}

// A tunnel's head has no framing fields.
func TestConnect(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(200)
		takeOver(t)(w, r)
	})
	k := f.talk(t)
	k.Send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK")
	k.Want("mine:;")
	k.HalfClose()
	k.WantEOF()
}

// Shutdown does not wait for a hijacked connection while its handler still runs.
func TestHijackOutlivesTheServer(t *testing.T) {
	f := handle(t, takeOver(t))
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.Want("mine:;")
	f.Close()
	k.Send("echo")
	k.Want("echo")
	k.HalfClose()
	k.WantEOF()
}

// A hijacked connection has the methods of a *net.TCPConn, also while the handler runs: a proxy copies from it to another
// socket, which needs its descriptor.
func TestHijackedSocket(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		nc, _, err := w.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		if c, ok := nc.(interface{ SetNoDelay(on bool) error }); !ok || c.SetNoDelay(false) != nil {
			t.Errorf("SetNoDelay of a %T", nc)
		}
		c, ok := nc.(syscall.Conn)
		if !ok {
			t.Errorf("%T has no descriptor", nc)
			return
		}
		raw, err := c.SyscallConn()
		if err != nil {
			t.Error(err)
			return
		}
		seen := 0
		err = raw.Read(func(uintptr) bool { // called again when input has arrived, which the client sends after the first call
			if seen++; seen == 1 {
				nc.(io.ReaderFrom).ReadFrom(strings.NewReader("ready;"))
			}
			return seen > 1
		})
		if err != nil {
			t.Errorf("Read of the raw connection: %v", err)
		}
		near, far := socketPair(t)
		go func() {
			defer near.Close()
			io.Copy(near, nc)
		}()
		io.Copy(nc, far)
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.Want("ready;")
	k.Send("input")
	k.Want("input")
	k.Send("echo")
	k.Want("echo")
	k.HalfClose()
	k.WantEOF()
}

// socketPair returns two ends of a TCP connection.
func socketPair(t *testing.T) (near, far net.Conn) {
	l := listen(t)
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}
