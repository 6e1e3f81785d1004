package netconn_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// run makes eng run nc, after a TLS handshake as the client if cfg is set.
func run(t *testing.T, eng *netconn.Engine, nc net.Conn, cfg *tls.Config, begin func(*netconn.Conn) (netconn.Protocol, error)) error {
	t.Helper()
	if cfg != nil {
		tc := netconn.TLSClient(nc, cfg)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := tc.HandshakeContext(ctx); err != nil {
			t.Fatal(err)
		}
		nc = tc
	}
	return eng.Run(nc, nil, begin)
}

// An engine also serves connections that we opened. The protocol sends first, from begin, and the conversation goes on
// from there.
func TestRunSpeaksFirst(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		server := serve(t, k, netconn.Config{}, lines(echo))
		said := make(chan string, 8)
		client := newRig(t, k)
		client.eng = netconn.New(netconn.Config{Loop: k.loop})
		begin := func(c *netconn.Conn) (netconn.Protocol, error) {
			_, err := c.Write([]byte("hello\n"))
			return &protocol{r: client, data: lines(func(c *netconn.Conn, line string) error {
				said <- line
				if line == "bye" {
					return netconn.ErrDone
				}
				return echo(c, "bye")
			})}, err
		}
		var cfg *tls.Config
		if k.tls {
			cfg = &tls.Config{InsecureSkipVerify: true}
		}
		nc, err := server.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		if err := run(t, client.eng, nc, cfg, begin); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"hello", "bye"} {
			if got := within(t, "a line of the server", said); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if err := within(t, "End", client.ends); err != nil {
			t.Errorf("End was told %v", err)
		}
		_ = client.eng.Close()
		one, other := net.Pipe()
		defer other.Close()
		if err := run(t, client.eng, one, nil, begin); err != netconn.ErrShutdown {
			t.Errorf("Run of an engine that has ended returned %v", err)
		}
		if _, err := one.Write([]byte("x")); err == nil {
			t.Error("and left the connection open")
		}
	})
}

// If a peer responds early and stops reading, our write fails, but the response is read before the connection ends: it
// says why.
func TestRunReadsLastWord(t *testing.T) {
	isPlainOrLatched := func(k kind) bool { return isTCP(k) && !k.tls }
	onSome(t, isPlainOrLatched, func(t *testing.T, k kind) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		peer, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer peer.Close()
		if _, err := peer.Write([]byte("too large\n")); err != nil {
			t.Fatal(err)
		}
		said := make(chan string, 1)
		client := newRig(t, k)
		client.eng = netconn.New(netconn.Config{Loop: k.loop})
		begin := func(c *netconn.Conn) (netconn.Protocol, error) {
			_ = nc.(*net.TCPConn).CloseWrite()
			if _, err := c.Write([]byte("more\n")); err == nil {
				t.Error("a write after the end succeeded")
			}
			return &protocol{r: client, data: lines(func(_ *netconn.Conn, line string) error {
				said <- line
				return nil
			})}, nil
		}
		if err := run(t, client.eng, nc, nil, begin); err != nil {
			t.Fatal(err)
		}
		if err := within(t, "End", client.ends); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("End was told %v", err)
		}
		select {
		case line := <-said:
			if line != "too large" {
				t.Errorf("the peer sent %q", line)
			}
		default:
			t.Error("the peer's bytes were not read")
		}
		_ = client.eng.Close()
	})
}
