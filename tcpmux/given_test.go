package tcpmux_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// wrapped is a connection of an unknown type.
type wrapped struct{ net.Conn }

// conns are connections of all kinds, by name.
var conns = map[string]func(t *testing.T) (near, far net.Conn){
	"tcp": func(t *testing.T) (near, far net.Conn) { return sockets(t, "tcp", "127.0.0.1:0") },
	"unix": func(t *testing.T) (near, far net.Conn) {
		return sockets(t, "unix", filepath.Join(t.TempDir(), "s"))
	},
	"net.Pipe": func(*testing.T) (near, far net.Conn) { return net.Pipe() },
	"wrapped": func(t *testing.T) (near, far net.Conn) {
		near, far = sockets(t, "tcp", "127.0.0.1:0")
		return wrapped{near}, wrapped{far}
	},
	"bytes": func(*testing.T) (near, far net.Conn) {
		return wiretest.Pipe(wiretest.Config{Split: wiretest.EveryByte}, wiretest.Config{Split: wiretest.EveryByte})
	},
	"tls": func(t *testing.T) (near, far net.Conn) {
		near, far = sockets(t, "tcp", "127.0.0.1:0")
		listen, dial := certificates(t)
		dial.ServerName = "127.0.0.1"
		return tls.Client(near, dial), tls.Server(far, listen)
	},
}

// sockets returns two sockets that are connected.
func sockets(t *testing.T, network, addr string) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// given returns both sides of a session over near and far.
func given(t *testing.T, near, far net.Conn, cfg tcpmux.Config) (client, server *tcpmux.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		var err error
		server, err = tcpmux.Server(ctx, far, cfg)
		failed <- err
	}()
	client, err := tcpmux.Client(ctx, near, cfg)
	if serr := <-failed; err != nil || serr != nil {
		t.Fatal(err, serr)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client, server
}

func onConns(t *testing.T, test func(t *testing.T, near, far net.Conn)) {
	for name, open := range conns {
		t.Run(name, func(t *testing.T) {
			near, far := open(t)
			test(t, near, far)
		})
	}
}

// A session runs on one connection of any kind, and either side can open channels.
func TestGivenConns(t *testing.T) {
	onConns(t, func(t *testing.T, near, far net.Conn) {
		client, server := given(t, near, far, tcpmux.Config{})
		if !client.Dialled() || server.Dialled() || client.ID() != server.ID() || client.RemoteAddr() == nil {
			t.Errorf("dialled %v, %v, ids %s, %s", client.Dialled(), server.Dialled(), client.ID(), server.ID())
		}
		if _, secure := near.(*tls.Conn); secure != (client.TLS() != nil) || secure != (server.TLS() != nil) {
			t.Errorf("TLS %v, %v", client.TLS(), server.TLS())
		}
		r := &rig{TB: t, ctx: t.Context()}
		for _, ends := range [][2]*tcpmux.Session{{client, server}, {server, client}} {
			c, d := r.channel(ends[0], ends[1], "")
			for _, size := range []int{0, 1, 30_000} {
				p := string(bytes.Repeat([]byte("x"), size))
				r.send(c, p)
				r.want(d, p)
				r.send(d, p)
				r.want(c, p)
			}
		}
		if e := shutdown(t.Context(), client); e.Err != nil || e.Undelivered != 0 {
			t.Errorf("got %+v, want Undelivered 0", e)
		}
		<-server.Done()
		if n, err := near.Write([]byte("x")); err == nil {
			waits(t, "the connection to be closed", func() bool { _, err = near.Write([]byte("x")); return err != nil })
		} else if n > 0 {
			t.Errorf("%d bytes were written, %v", n, err)
		}
	})
}

// A session on a given connection ends with it, whichever side closes it, and every call says so.
func TestGivenConnEnds(t *testing.T) {
	onConns(t, func(t *testing.T, near, far net.Conn) {
		client, server := given(t, near, far, tcpmux.Config{})
		r := &rig{TB: t, ctx: t.Context()}
		c, d := r.channel(client, server, "x")
		near.Close()
		for _, x := range []*tcpmux.Channel{c, d} {
			if _, err := x.Receive(t.Context()); isEnd(err) == nil || !errors.Is(err, tcpmux.ErrConnectionLost) {
				t.Errorf("Receive: %v", err)
			}
		}
		if _, err := server.Accept(t.Context()); isEnd(err) == nil {
			t.Errorf("Accept: %v", err)
		}
	})
}

// When Shutdown has returned nil, the peer has every message, although the process exits right after it.
func TestCloseDeliversEverything(t *testing.T) {
	onConns(t, func(t *testing.T, near, far net.Conn) {
		client, server := given(t, near, far, tcpmux.Config{})
		r := &rig{TB: t, ctx: t.Context()}
		c, d := r.channel(client, server, "x")
		for range 50 {
			r.send(c, string(make([]byte, 1000)))
		}
		if _, err := c.Conn().Write([]byte("the last answer")); err != nil {
			t.Fatal(err)
		}
		if e := shutdown(t.Context(), client); e.Err != nil || e.Undelivered != 0 {
			t.Fatalf("got %+v, want Undelivered 0", e)
		}
		near.Close()
		far.Close()
		<-server.Done()
		for range 50 {
			r.want(d, string(make([]byte, 1000)))
		}
		r.want(d, "the last answer")
	})
}

// Shutdown waits for a peer that takes nothing until Linger or its context ends, and says what was not delivered.
func TestCloseIsBounded(t *testing.T) {
	for name, tc := range map[string]struct{ linger, patience time.Duration }{
		"linger": {50 * time.Millisecond, long}, "context": {long, 50 * time.Millisecond},
	} {
		near, far := net.Pipe()
		relay, end := net.Pipe()
		stopped := make(chan struct{})
		go io.Copy(far, end)
		go func() { // what is sent from near stops when the session has begun
			b := make([]byte, 4096)
			for {
				n, err := far.Read(b)
				if err != nil {
					return
				}
				select {
				case <-stopped:
				default:
					end.Write(b[:n])
				}
			}
		}()
		client, _ := given(t, near, relay, tcpmux.Config{Linger: tc.linger})
		close(stopped)
		c, err := client.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Send(t.Context(), []byte("lost")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), tc.patience)
		if e := shutdown(ctx, client); e.Undelivered != 1 || e.Unacked["x"] != 1 {
			t.Errorf("%s: got %+v", name, e)
		}
		cancel()
		far.Close()
		end.Close()
	}
}

// Client and Server give up on a silent connection and close it.
func TestGivenConnThatSaysNothing(t *testing.T) {
	for name, start := range map[string]func(context.Context, net.Conn, tcpmux.Config) (*tcpmux.Session, error){
		"Client": tcpmux.Client, "Server": tcpmux.Server,
	} {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for what, tc := range map[string]struct {
			ctx       context.Context
			handshake time.Duration
			say       string
			want      error
		}{
			"silent":    {t.Context(), 20 * time.Millisecond, "", context.DeadlineExceeded},
			"cancelled": {gone, -1, "", context.Canceled},
			"HTTP":      {t.Context(), -1, "HTTP/1.1 400 Bad Request\r\n\r\n", nil},
		} {
			near, far := sockets(t, "tcp", "127.0.0.1:0")
			io.WriteString(far, tc.say)
			s, err := start(tc.ctx, near, tcpmux.Config{HandshakeTimeout: tc.handshake})
			var broken *tcpmux.ProtocolError
			if s != nil || tc.want != nil && err != tc.want || tc.want == nil && !errors.As(err, &broken) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			far.SetReadDeadline(time.Now().Add(long))
			if _, err := io.Copy(io.Discard, far); errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %s: the connection is left open", name, what)
			}
			far.Close()
		}
	}
}
