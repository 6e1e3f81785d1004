package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// A handshake ends at a wake, and is not done then.
func TestHandshakeIsWoken(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		p.c.Secure(tlsServer, serverConfig())
		done := make(chan error, 1)
		go func() { done <- p.c.Handshake() }()
		awaitBlocked(t, "transport.(*Conn).Handshake")
		p.c.WakeReader()
		if err := within(t, "the handshake", done); !TimedOut(err) || !p.c.ReaderWoken() {
			t.Errorf("Handshake: %v", err)
		}
		if p.c.State().HandshakeComplete {
			t.Error("the handshake is complete")
		}
	})
}

// If a handshake fails, the peer is told why at once, because no later send would carry the alert.
func TestHandshakeFails(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		cfg := serverConfig()
		cfg.NextProtos = []string{"ours"}
		p.c.Secure(tlsServer, cfg)
		far := clientConfig()
		far.NextProtos = []string{"theirs"}
		done := make(chan error, 1)
		go func() { done <- p.c.Handshake() }()
		if err := tlsClient(p.far, far).Handshake(); !errors.As(err, new(tls.AlertError)) && !errors.As(err, new(*net.OpError)) {
			t.Errorf("the peer's handshake: %v", err)
		}
		if err := within(t, "the handshake", done); err == nil {
			t.Error("the handshake has succeeded")
		}
		if p.c.Unsent() || p.c.tls.encryptedSize() > 0 {
			t.Error("the output of the handshake is kept")
		}
	})
}

// Until Init gets it, a tls.Conn of Client behaves as one of tls.Client, and after the connection is given away it does
// again.
func TestClientBeforeInit(t *testing.T) {
	for _, v := range []variant{{name: "raw tcp", network: "tcp", raw: true}, {name: "pipe", network: "pipe"}} {
		t.Run(v.name, func(t *testing.T) {
			if v.raw && !sys.Available {
				t.Skip("no raw sockets on this system")
			}
			near, wire := connect(t, v)
			tc := Client(near, clientConfig())
			p := &pair{variant: v, near: near, wire: &countedConn{Conn: wire}}
			p.far = shakeHands(t, tc.Handshake, tlsServer(p.wire, serverConfig()))
			for round := range 3 {
				alone(t, p, tc)
				c := new(Conn)
				c.Init(tc, v.raw)
				if c.NetConn() != net.Conn(tc) || c.Below() != near || c.Brittle() {
					t.Fatalf("round %d: Init does not run on the connection below", round)
				}
				// Another Init does not get the layer meanwhile.
				other := new(Conn)
				if other.Init(tc, v.raw); !other.Brittle() {
					t.Error("two Conns use the same TLS layer")
				}
				p.c = c
				p.tell(t, "run by a Conn")
				p.read(t, "run by a Conn")
				p.send(t, "answer")
				p.hear(t, "answer")
				// What was received but not read is read by the new owner.
				if round > 0 {
					arrive(c, p.seal(t, "sealed"))
				}
				c.WakeReader()
				c.WakeWriter()
				if got := c.GiveAway(c.Below()); got != net.Conn(tc) {
					t.Fatalf("a %T was given away", got)
				}
				if round > 0 {
					got := make([]byte, 6)
					if _, err := io.ReadFull(tc, got); string(got) != "sealed" {
						t.Fatalf("read %q, %v", got, err)
					}
				}
			}
			if err := tc.Close(); err != nil {
				t.Error(err)
			}
			p.hearEnd(t)
			if _, err := near.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the connection below is not closed: %v", err)
			}
			_ = wire.Close()
		})
	}
}

// alone uses tc as a program without this package would.
func alone(t *testing.T, p *pair, tc *tls.Conn) {
	t.Helper()
	p.tell(t, "ping")
	got := make([]byte, 4)
	if _, err := io.ReadFull(tc, got); err != nil || string(got) != "ping" {
		t.Fatalf("read %q, %v", got, err)
	}
	if _, err := tc.Write([]byte("pong")); err != nil {
		t.Fatal(err)
	}
	p.hear(t, "pong")
	_ = tc.SetReadDeadline(time.Unix(1, 0))
	if _, err := tc.Read(got); !TimedOut(err) {
		t.Errorf("the read deadline does not count: %v", err)
	}
	_ = tc.SetDeadline(time.Unix(1, 0))
	if _, err := tc.Read(got); !TimedOut(err) {
		t.Errorf("the deadline does not count: %v", err)
	}
	_ = tc.SetDeadline(time.Time{})
}

// A write deadline cuts a write, and with that the tls.Conn, as it does with tls.Client.
func TestClientDeadlines(t *testing.T) {
	near, wire := connect(t, variant{network: "pipe"})
	tc := Client(near, clientConfig())
	shakeHands(t, tc.Handshake, tlsServer(wire, serverConfig()))
	_ = tc.SetWriteDeadline(time.Unix(1, 0))
	if _, err := tc.Write([]byte("word")); !TimedOut(err) {
		t.Errorf("the write deadline does not count: %v", err)
	}
	_ = tc.SetWriteDeadline(time.Time{})
	if _, err := tc.Write([]byte("word")); err == nil {
		t.Error("a write after one that was cut succeeds")
	}
	_ = wire.Close()
	_ = tc.Close()
}

// Without a handshake, or with renegotiation, the tls.Conn is used as it is.
func TestClientThatIsNotReady(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	defer near.Close()
	c := new(Conn)
	if c.Init(Client(near, clientConfig()), true); !c.Brittle() || c.Secured() {
		t.Error("a TLS layer without a handshake is used")
	}
	cfg := clientConfig()
	cfg.Renegotiation = tls.RenegotiateOnceAsClient
	tc := Client(near, cfg)
	if tc.NetConn() != near {
		t.Error("a tls.Conn that renegotiates has a TLS layer")
	}
	if idleLayer(near) != nil || idleLayer(tls.Client(near, cfg)) != nil {
		t.Error("a TLS layer was found where there is none")
	}
}

// A foreign TLS connection shakes hands as ours does. A wake ends the handshake, also while it writes, and the connection
// below can still be written to.
func TestForeignHandshake(t *testing.T) {
	onSome(t, func(v variant) bool { return isClear(v) && v.network != "unix" }, func(t *testing.T, p *pair) {
		c := new(Conn)
		c.Init(struct{ *tls.Conn }{tls.Server(p.near, serverConfig())}, true)
		if !c.NeedsHandshake() || c.State().HandshakeComplete {
			t.Error("NeedsHandshake is false")
		}
		far := shakeHands(t, c.Handshake, tlsClient(p.far, clientConfig()))
		if !c.State().HandshakeComplete || c.State().ServerName != "near" {
			t.Errorf("State: %+v", c.State())
		}
		done := make(chan error, 1)
		go func() { _, err := c.Send(&Batch{A: []byte("hello")}, false); done <- err }()
		var got [5]byte
		if _, err := io.ReadFull(far, got[:]); err != nil || string(got[:]) != "hello" {
			t.Errorf("%q, %v", got, err)
		}
		if err := within(t, "Send", done); err != nil {
			t.Error(err)
		}
	})
}

// A wake ends a foreign handshake while it waits for the peer, and while the peer does not read.
func TestForeignHandshakeIsWoken(t *testing.T) {
	for _, side := range []string{"reading", "writing"} {
		near, far := net.Pipe()
		c := new(Conn)
		if side == "reading" {
			c.Init(tls.Server(near, serverConfig()), true)
		} else {
			c.Init(tls.Client(near, clientConfig()), true)
		}
		done := make(chan error, 1)
		go func() { done <- c.Handshake() }()
		var err error
		until(t, "the handshake to end", func() bool {
			c.WakeReader()
			c.WakeWriter() // a wake before the handshake has no effect on it
			select {
			case err = <-done:
				return true
			default:
				return false
			}
		})
		if !TimedOut(err) {
			t.Errorf("%s: %v", side, err)
		}
		far.Close()
	}
}

// When a connection over foreign TLS is reset, the peer does not see an orderly end.
func TestForeignReset(t *testing.T) {
	onSome(t, func(v variant) bool { return v.tls == foreign && v.network == "tcp" }, func(t *testing.T, p *pair) {
		p.c.Reset()
		p.c.Close()
		if n, err := p.far.Read(make([]byte, 1)); err == io.EOF || err == nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}
