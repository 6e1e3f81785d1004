package netconn_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// pulled returns a Pulled connection and its peer. ahead has already been read from it.
func pulled(t *testing.T, k kind, cfg netconn.Config, ahead string) (*netconn.Pulled, *wiretest.Talk) {
	t.Helper()
	cfg.Loop = k.loop
	near, far := connection(t, k)
	e := netconn.New(brief(cfg))
	t.Cleanup(func() { _ = e.Close() })
	c, err := e.Pull(near, []byte(ahead), nobody{})
	if err != nil {
		t.Fatal(err)
	}
	talk := wiretest.NewTalk(t, far)
	talk.Timeout = patience
	return c, talk
}

// nobody is an owner whose Drain does nothing.
type nobody struct{}

func (nobody) Drain() {}

// connection returns both ends of a connection; nothing has been read from it. With TLS the handshake is done; near is its client.
func connection(t *testing.T, k kind) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	keepLittle(near, far)
	if !k.tls {
		return near, far
	}
	client := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true})
	server := &tlsClient{Conn: tls.Server(far, serverTLS()), below: far}
	done := make(chan error, 1)
	go func() { done <- server.HandshakeContext(context.Background()) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := errors.Join(client.HandshakeContext(ctx), within(t, "the handshake", done)); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// keepLittle makes the system buffer little between two ends, so that a writer soon has to wait.
func keepLittle(ends ...net.Conn) {
	for _, nc := range ends {
		if secure, ok := nc.(interface{ NetConn() net.Conn }); ok {
			nc = secure.NetConn()
		}
		if tcp, ok := nc.(*net.TCPConn); ok {
			_ = errors.Join(tcp.SetWriteBuffer(64<<10), tcp.SetReadBuffer(64<<10))
		}
	}
}

// onPulled runs f on every kind of connection, at the same time.
func onPulled(t *testing.T, f func(t *testing.T, k kind)) {
	atOnce(t, isPulled, f)
}

func isPulled(k kind) bool { return k.network == "tcp" && k.split == nil && !k.foreign }

// A Pulled first returns what was read before it was created. Then its user reads, writes, and ends the connection.
func TestPull(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "ahead, ")
		talk.Send("fresh")
		got := string(c.Unread())
		for got != "ahead, fresh" {
			b, err := c.Fill()
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		c.Take(len(got))
		if _, err := c.Write([]byte("answer")); err != nil {
			t.Fatal(err)
		}
		talk.Want("answer")
		talk.HalfClose()
		if _, err := c.Fill(); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
		c.Finish(netconn.ErrDone)
		talk.WantEOF()
	})
}

// The callback for a wait is called before the wait begins, not after it.
func TestPullOnWait(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		defer c.Finish(netconn.ErrAbort)
		_ = c.SetReadDeadline(time.Now().Add(patience))
		sent := false
		b, err := c.FillOnWait(func() {
			if !sent {
				sent = true
				talk.Send("late")
			}
		})
		if string(b) != "late" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	})
}

// A read that has run into its deadline loses nothing.
func TestPullDeadline(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := c.Fill(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("Fill: %v", err)
		}
		_ = c.SetReadDeadline(time.Time{})
		talk.Send("late")
		if b, err := c.Fill(); string(b) != "late" || err != nil {
			t.Fatalf("Fill: %q, %v", b, err)
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// If the transport has no deadlines, a read that has run into one ends the connection.
func TestPullTimeless(t *testing.T) {
	for _, secure := range []bool{false, true} {
		near, far := connection(t, kind{})
		t.Cleanup(func() { _ = far.Close() }) // not before: the garbage collector closes a socket without references
		near = timeless{near}
		if secure {
			client, server := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true}), tls.Server(far, serverTLS())
			go func() { _ = server.Handshake() }()
			if err := client.Handshake(); err != nil {
				t.Fatal(err)
			}
			near = client
		}
		e := netconn.New(brief(netconn.Config{}))
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(near, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Wakes() {
			t.Error("Wakes is true")
		}
		_ = c.SetReadDeadline(c.Wall().Add(millis(10)))
		failed := make(chan error, 1)
		go func() { _, err := c.Fill(); failed <- err }()
		if err := within(t, "the wait to end", failed); !errors.Is(err, netconn.ErrSlow) {
			t.Errorf("got %v, want %v", err, netconn.ErrSlow)
		}
		c.Finish(nil)
	}
}

// Abort wakes a goroutine that waits in Fill.
func TestPullAbort(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		ended := make(chan struct{})
		go func() {
			_, err := c.Fill()
			if err != netconn.ErrAbort {
				t.Errorf("Fill: %v", err)
			}
			c.Finish(err)
			close(ended)
		}()
		c.Abort()
		within(t, "Fill to return", ended)
		talk.WantGone()
	})
}

// Held output leaves together with output that is not held, and otherwise within a tick.
func TestHold(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		cfg := still(netconn.Config{FlushLate: true})
		c, talk := pulled(t, k, cfg, "")
		c.Hold()
		_, _ = c.Write([]byte("held, "))
		if ok, err := c.Post(netconn.Whole, []byte("posted, ")); !ok || err != nil {
			t.Fatal(ok, err)
		}
		talk.WantSilence(millis(3))
		cfg.Clock.Advance(clock.Tick)
		talk.Want("held, posted, ")
		_, _ = c.Write([]byte("held again, "))
		c.Release()
		_, _ = c.Write([]byte("and not"))
		talk.Want("held again, and not")
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// Nothing can be appended behind the last unit.
func TestLast(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		for _, last := range []func(c *netconn.Pulled) error{
			func(c *netconn.Pulled) error {
				return c.WriteUnit(context.Background(), netconn.Final, []byte("last"), nil)
			},
			func(c *netconn.Pulled) error { _, err := c.Post(netconn.Final, []byte("last")); return err },
		} {
			c, talk := pulled(t, k, netconn.Config{}, "")
			if err := last(c); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Write([]byte("behind")); err != net.ErrClosed {
				t.Errorf("Write: %v", err)
			}
			if ok, err := c.Post(netconn.Part, []byte("behind")); ok || err != net.ErrClosed {
				t.Errorf("Post: %v, %v", ok, err)
			}
			if err := c.WriteUnit(context.Background(), netconn.Final, []byte("behind"), nil); err != net.ErrClosed {
				t.Errorf("WriteUnit: %v", err)
			}
			talk.Want("last")
			go c.Finish(netconn.ErrDone)
			talk.WantEOF()
			talk.Close()
		}
	})
}

// If a peer reads nothing, the socket and then the queue fill up, and then there is no room. What was accepted arrives in
// order once the peer reads.
func TestPostNeverWaits(t *testing.T) {
	onSome(t, isPulled, func(t *testing.T, k kind) { // in turn: it looks at all goroutines
		for _, held := range []bool{false, true} {
			postsUntilFull(t, k, held)
		}
	})
}

func postsUntilFull(t *testing.T, k kind, held bool) {
	c, talk := pulled(t, k, netconn.Config{MinWriteRate: -1}, "")
	if held {
		c.Hold()
	}
	unit := strings.Repeat("x", 32<<10-1) + "\n"
	sent := 0
	last, still := int64(-1), 0
	eventually(t, "the queue to be full, and the socket", func() bool {
		for {
			ok, err := c.Post(netconn.Whole, []byte(unit))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			sent++
		}
		if out := netconn.StatsOf(&c.Link).BytesOut; out != last {
			last, still = out, 0
		}
		still++ // what has been sent may still be on its way to the peer, and make room
		return still > 50 && (netconn.Left(&c.Link) || netconn.Blocked("IO wait", "(*sender).waitPeer"))
	})
	if sent < 3 {
		t.Errorf("only %d units had room, as many as in the queue alone", sent)
	}
	if held {
		c.Release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := c.WriteUnit(ctx, netconn.Whole, nil, []byte(unit)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("WriteUnit: %v", err)
	}
	for range sent {
		talk.Want(unit)
	}
	if err := c.WriteUnit(context.Background(), netconn.Whole, []byte("then "), []byte("this")); err != nil {
		t.Errorf("WriteUnit: %v", err)
	}
	talk.Want("then this")
	talk.Close()
	c.Finish(netconn.ErrDone)
}

// When Post returns, the bytes that the socket takes have been sent. No goroutine is started for it.
func TestPostSendsAtOnce(t *testing.T) {
	onSome(t, func(k kind) bool { return isLatched(k) && isTCP(k) }, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		for range 100 {
			before := netconn.StatsOf(&c.Link).BytesOut
			if ok, err := c.Post(netconn.Whole, []byte("posted")); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if sent := netconn.StatsOf(&c.Link).BytesOut - before; sent < int64(len("posted")) {
				t.Fatalf("%d bytes have been sent when Post returned", sent)
			}
			talk.Want("posted")
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// A connection from elsewhere is served as any other, and parks; also one that was hijacked, and with TLS on either side.
func TestRun(t *testing.T) {
	onSome(t, func(k kind) bool { return isLatched(k) && isTCP(k) }, func(t *testing.T, k kind) {
		near, far := connection(t, k)
		r, taken := takeOver(t, k, false, nil)
		accepted := r.dial()
		accepted.Send("take\n")
		accepted.Want("before\n")
		old := within(t, "the connection", taken)
		for name, tc := range map[string]struct {
			near  net.Conn
			ahead string
			talk  *wiretest.Talk
		}{
			"dialled":    {near, "", wiretest.NewTalk(t, far)},
			"taken over": {old.nc, old.ahead, accepted},
		} {
			e := netconn.New(netconn.Config{IdlePark: millis(5)})
			ends := make(chan error, 1)
			err := e.Run(tc.near, []byte(tc.ahead), func(*netconn.Conn) (netconn.Protocol, error) {
				return &protocol{r: &rig{ends: ends}, data: lines(echo)}, nil
			})
			if err != nil {
				t.Fatal(name, err)
			}
			for range 3 {
				eventually(t, name+" to park", func() bool { s := e.Stats(); return s.Parked == 1 && s.Active == 0 })
				tc.talk.Send("hello\n")
				tc.talk.Want("hello\n")
			}
			tc.talk.HalfClose()
			if err := within(t, "End", ends); err != io.EOF {
				t.Errorf("%s: ended with %v", name, err)
			}
			tc.talk.WantEOF()
			_ = e.Close()
		}
	})
}

// Abort wakes every goroutine that waits for a peer that reads nothing: in the socket, for room, or in Fill.
func TestAbortWakesWriters(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		for range 3 {
			c, _ := pulled(t, k, netconn.Config{FlushLate: true}, "")
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for {
						if _, err := c.Write(make([]byte, 20<<10)); err != nil {
							return
						}
					}
				})
			}
			all.Go(func() {
				for {
					if ok, err := c.Post(netconn.Whole, make([]byte, 100)); err != nil {
						return
					} else if !ok {
						_ = c.Flush()
					}
				}
			})
			all.Go(func() {
				for {
					if _, err := c.Fill(); err != nil {
						return
					}
				}
			})
			stuck(t, &c.Link)
			c.Abort()
			ended := make(chan struct{})
			go func() {
				all.Wait()
				close(ended)
			}()
			within(t, "all goroutines to be woken", ended)
			c.Finish(netconn.ErrAbort)
		}
	})
}

// An engine that has ended closes a connection that it is given, also the one below TLS.
func TestPullAfterTheEnd(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		e := netconn.New(netconn.Config{Loop: k.loop})
		_ = e.Close()
		for name, give := range map[string]func(nc net.Conn) error{
			"Pull": func(nc net.Conn) error { _, err := e.Pull(nc, nil, nobody{}); return err },
			"Run":  func(nc net.Conn) error { return e.Run(nc, nil, nil) },
		} {
			near, far := connection(t, kind{network: "tcp"})
			defer func() { _ = far.Close() }()
			nc := near
			if k.tls {
				client, server := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true}), tls.Server(far, serverTLS())
				go func() { _ = server.Handshake() }()
				if err := client.Handshake(); err != nil {
					t.Fatal(err)
				}
				nc = client
			}
			if err := give(nc); err != netconn.ErrShutdown {
				t.Errorf("%s: %v", name, err)
			}
			if err := near.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s has left the connection open: %v", name, err)
			}
		}
	})
}
