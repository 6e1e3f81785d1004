package streamsock_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16") // the tests that run in parallel wait
	goleak.VerifyTestMain(m)
}

// newSocket returns a socket that ends with the test.
func newSocket(t testing.TB, cfg streamsock.Config) *streamsock.Socket {
	t.Helper()
	s := streamsock.New(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

// bind binds a socket and returns the address.
func bind(t *testing.T, s *streamsock.Socket, addr string) string {
	t.Helper()
	bound, err := s.Bind(addr)
	if err != nil {
		t.Fatal(err)
	}
	return bound[0]
}

// recv receives a message in time.
func recv(t *testing.T, s *streamsock.Socket) streamsock.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	m, err := s.Recv(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wants receives messages and events and compares them with their texts: "connected 1", "1 hello", "disconnected 1 eof".
func wants(t *testing.T, s *streamsock.Socket, want ...string) (peer *streamsock.Peer) {
	t.Helper()
	for _, w := range want {
		m := recv(t, s)
		if got := inWords(&m); got != w {
			t.Fatalf("received %q, want %q", got, w)
		}
		peer = m.Peer
		m.Release()
	}
	return peer
}

// inWords returns the text of a message or event: "connected 1", "1 hello", "disconnected 1 eof".
func inWords(m *streamsock.Message) string {
	switch {
	case m.End != nil:
		return fmt.Sprintf("%v %d %v", m.Kind, m.Peer.ID(), m.End.Reason)
	case m.Kind.IsEvent():
		return fmt.Sprintf("%v %d", m.Kind, m.Peer.ID())
	}
	return fmt.Sprintf("%d %s", m.Peer.ID(), m.Data)
}

// wantsOfEach receives the messages of several peers: in order for each of them, and in any order among them.
func wantsOfEach(t *testing.T, s *streamsock.Socket, peers ...[]string) {
	t.Helper()
	for left := slices.Concat(peers...); len(left) > 0; left = left[1:] {
		m := recv(t, s)
		got := inWords(&m)
		i := slices.IndexFunc(peers, func(want []string) bool { return len(want) > 0 && want[0] == got })
		if i < 0 {
			t.Fatalf("received %q, want the first of one of %q", got, peers)
		}
		peers[i] = peers[i][1:]
		m.Release()
	}
}

// connects receives the given number of Connected events, in any order: ids are in the order in which peers came, but each is
// told of by its own connection.
func connects(t *testing.T, s *streamsock.Socket, ids ...streamsock.ID) {
	t.Helper()
	var got []streamsock.ID
	for range ids {
		m := recv(t, s)
		if m.Kind != streamsock.EventConnected {
			t.Fatalf("received %v %q of %d", m.Kind, m.Data, m.Peer.ID())
		}
		got = append(got, m.Peer.ID())
	}
	if slices.Sort(got); !slices.Equal(got, ids) {
		t.Fatalf("connected: %d, want %d", got, ids)
	}
}

// certificate is a TLS configuration of both sides.
func certificate(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: pool}
}

var transports = []string{"tcp", "tls", "ws", "wss", "unix"}

// at returns an address of a transport to bind.
func at(t *testing.T, transport string) string {
	if transport == "unix" {
		return "unix://" + t.TempDir() + "/s"
	}
	return transport + "://127.0.0.1:0"
}

// Two sockets exchange messages on every transport.
func TestSocket(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		for _, framing := range []streamsock.Framing{streamsock.FramingSingle, streamsock.FramingPrefixed} {
			t.Run(fmt.Sprint(transport, framing), func(t *testing.T) {
				ours, theirs := certificate(t)
				a := newSocket(t, streamsock.Config{TLSConfig: ours, Framing: framing})
				b := newSocket(t, streamsock.Config{DialTLSConfig: theirs, Framing: framing})
				addr := bind(t, a, at(t, transport))
				server, err := b.Connect(addr)
				if err != nil {
					t.Fatal(err)
				}
				if err := server.Send([]byte("early")); err != nil {
					t.Fatal(err)
				}
				wants(t, b, "connected 1")
				client := wants(t, a, "connected 1", "1 early")
				if client.Transport() != transport || server.Transport() != transport {
					t.Errorf("got %s, %s; want %s, %s", client.Transport(), server.Transport(), transport, transport)
				}
				for _, size := range []int{0, 1, 125, 126, 1000, 65535, 65536, 1 << 20} {
					msg := strings.Repeat("x", size)
					if err := a.Send(1, []byte(msg)); err != nil {
						t.Fatal(err)
					}
					if err := b.Send(1, []byte(msg)); err != nil {
						t.Fatal(err)
					}
					wants(t, a, "1 "+msg)
					wants(t, b, "1 "+msg)
				}
				if err := a.Disconnect(1, 0, "bye"); err != nil {
					t.Fatal(err)
				}
				if transport == "ws" || transport == "wss" {
					wants(t, b, "disconnected 1 closed", "reconnected 1")
				} else {
					wants(t, b, "disconnected 1 eof", "reconnected 1")
				}
				wantsOfEach(t, a, []string{"disconnected 1 local"}, []string{"connected 2"})
			})
		}
	}
}

// Many messages of all sizes go in both directions and arrive in order.
func TestMany(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			a := newSocket(t, streamsock.Config{TLSConfig: ours})
			b := newSocket(t, streamsock.Config{DialTLSConfig: theirs})
			if _, err := b.Connect(bind(t, a, at(t, transport))); err != nil {
				t.Fatal(err)
			}
			wants(t, a, "connected 1")
			wants(t, b, "connected 1")
			const n = 20_000
			errs := make(chan error, 4)
			for _, s := range []*streamsock.Socket{a, b} {
				go func() {
					buf := make([]byte, 3000)
					for i := range n {
						binary.BigEndian.PutUint32(buf, uint32(i))
						if err := s.Send(1, buf[:4+i*7919%2900]); err != nil {
							errs <- err
							return
						}
					}
					errs <- nil
				}()
			}
			for _, s := range []*streamsock.Socket{a, b} { // at the same time: a peer that takes nothing for 15 s is a slow one
				go func() { errs <- wantNumbered(s, n) }()
			}
			for range 4 {
				if err := <-errs; err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// wantNumbered receives n messages as TestMany sends them.
func wantNumbered(s *streamsock.Socket, n int) error {
	for i := range n {
		m, err := s.Recv(context.Background())
		if err != nil {
			return err
		}
		if m.Kind != streamsock.KindBinary || len(m.Data) != 4+i*7919%2900 || binary.BigEndian.Uint32(m.Data) != uint32(i) {
			return fmt.Errorf("message %d: %v, %d bytes, %+v", i, m.Kind, len(m.Data), m.End)
		}
		m.Release()
	}
	return nil
}

// A peer that has ended its half still gets what is sent to it.
func TestHalfClose(t *testing.T) {
	s := newSocket(t, streamsock.Config{})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	nc, err := net.Dial("tcp", strings.TrimPrefix(addr, "tcp://"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, _ = nc.Write([]byte("\x00\x00\x00\x02hi\x00\x00\x00\x00"))
	_ = nc.(*net.TCPConn).CloseWrite()
	wants(t, s, "connected 1", "1 hi")
	if err := s.Send(1, []byte("answer")); err != nil {
		t.Error(err)
	}
	wants(t, s, "1 ", "disconnected 1 eof")
	if got, err := io.ReadAll(nc); string(got) != "\x00\x00\x00\x06answer" || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, "\x00\x00\x00\x06answer")
	}
	wiretest.Eventually(t, "the peer to be gone", func() bool { return s.Send(1, nil) == streamsock.ErrGone })
}
