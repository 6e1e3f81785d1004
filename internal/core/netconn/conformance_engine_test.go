package netconn_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// One engine serves any number of listeners, and New is told which one a connection came from.
func TestTwoListeners(t *testing.T) {
	r := newRig(t, kind{name: "pipe", network: "pipe"})
	first, second := r.listen().(*wiretest.Listener), r.listen().(*wiretest.Listener)
	r.start(netconn.Config{New: func(_ *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
		name := map[net.Listener]string{first: "first", second: "second"}[l]
		return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error { return echo(c, name) })}, nil
	}}, first)
	done := make(chan error, 1)
	go func() { done <- r.eng.Serve(second, nil) }()
	for l, name := range map[*wiretest.Listener]string{first: "first", second: "second"} {
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		talk := wiretest.NewTalk(t, nc)
		talk.Send("who are you?\n")
		talk.Want(name + "\n")
	}
	// A listener that is closed from outside ends its own Serve and nothing else.
	_ = second.Close()
	if err := within(t, "Serve to return", done); !errors.Is(err, net.ErrClosed) || err == netconn.ErrShutdown {
		t.Errorf("Serve of the closed listener returned %v", err)
	}
	nc, err := first.Dial()
	if err != nil {
		t.Fatal(err)
	}
	talk := wiretest.NewTalk(t, nc)
	talk.Send("still there?\n")
	talk.Want("first\n")
}

// countedCloses is a listener that counts the calls of Close.
type countedCloses struct {
	net.Listener
	closes atomic.Int32
}

// Close implements net.Listener.
func (l *countedCloses) Close() error {
	l.closes.Add(1)
	return l.Listener.Close()
}

// A listener is closed once, by whichever of Shutdown, Close and the end of Serve comes first.
func TestListenerIsClosedOnce(t *testing.T) {
	r := newRig(t, kind{name: "pipe", network: "pipe"})
	l := &countedCloses{Listener: r.listen()}
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(echo)}, nil
	}}, l)
	nc, err := l.Listener.(*wiretest.Listener).Dial()
	if err != nil {
		t.Fatal(err)
	}
	talk := wiretest.NewTalk(t, nc)
	talk.Send("hello\n")
	talk.Want("hello\n")
	for range 2 {
		if err := errors.Join(r.shutdown(), r.eng.Close()); err != nil {
			t.Error(err)
		}
	}
	within(t, "Serve to return", r.done)
	if n := l.closes.Load(); n != 1 {
		t.Errorf("the listener was closed %d times", n)
	}
}

// Shutdown and Close may be called before Serve, again, after each other and at the same time.
func TestEndTwice(t *testing.T) {
	unused := netconn.New(netconn.Config{})
	if err := errors.Join(unused.Close(), unused.Shutdown(context.Background()), unused.Close()); err != nil {
		t.Errorf("an engine that never served: %v", err)
	}
	onSome(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := r.shutdown(); err != nil {
					t.Errorf("Shutdown: %v", err)
				}
			})
			wg.Go(func() { _ = r.eng.Close() })
		}
		talk.WantGone()
		talk.Close()
		wg.Wait()
		if err := r.shutdown(); err != nil {
			t.Errorf("a later Shutdown: %v", err)
		}
	})
}

// An engine that waits for room at MaxConns ends on Shutdown, too.
func TestShutdownAtMaxConns(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{MaxConns: 1}, lines(echo))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		within(t, "Serve to return", r.done)
	})
}

// Shutdown does not wait for a client that has not finished its handshake.
func TestShutdownDuringHandshake(t *testing.T) {
	for name, end := range map[string]func(r *rig) error{
		"Shutdown": (*rig).shutdown,
		"Close":    func(r *rig) error { return r.eng.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			onSome(t, isTLS, func(t *testing.T, k kind) {
				r := serve(t, k, netconn.Config{HandshakeTimeout: -1}, lines(echo))
				nc, err := r.connectTransport()
				if err != nil {
					t.Fatal(err)
				}
				talk := wiretest.NewTalk(t, nc)
				talk.Send("\x16\x03\x01\x02\x00")
				eventually(t, "the connection to be accepted", func() bool { return r.eng.Stats().Open == 1 })
				if err := end(r); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				talk.WantGone()
			})
		})
	}
}

// Clients that connect and leave at once, in any way, leave nothing behind.
func TestBriefVisitors(t *testing.T) {
	atOnce(t, isSocket, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: millis(1)}, lines(echo))
		for i := range 200 {
			nc, err := r.connectTransport()
			if err != nil {
				t.Fatal(err)
			}
			if tcp, ok := nc.(*net.TCPConn); ok && i%2 == 0 {
				_ = tcp.SetLinger(0)
			}
			if i%3 == 0 {
				_, _ = nc.Write([]byte("half"))
			}
			_ = nc.Close()
		}
		eventually(t, "all of them to be gone", func() bool { return r.eng.Stats().Open == 0 })
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
	})
}

// A client that sends thousands of messages before it reads the first response makes the server wait, not stop: when the
// client reads, all responses come.
func TestPipelineWithoutReading(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		messages := 30_000
		if k.split != nil {
			messages = 3000
		}
		response := strings.Repeat("y", 300)
		r := serve(t, k, netconn.Config{MinWriteRate: -1}, lines(func(c *netconn.Conn, _ string) error {
			return echo(c, response)
		}))
		talk := r.dial()
		sent := make(chan error, 1)
		go func() {
			_, err := talk.Conn.Write([]byte(strings.Repeat("x\n", messages)))
			sent <- err
		}()
		eventually(t, "the first responses", func() bool { return r.eng.Stats().BytesOut > 0 })
		const some = 100
		for range messages / some {
			talk.Want(strings.Repeat(response+"\n", some))
		}
		if err := within(t, "everything to be sent", sent); err != nil {
			t.Error(err)
		}
	})
}

// list is a listener that cannot be compared, as one that embeds a map or a slice cannot.
type list struct {
	net.Listener
	_ []string
}

// A listener may be of a type that cannot be compared: Serve, Shutdown and a second listener of the same type work.
func TestListenersNeedNotBeComparable(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, k kind) {
		r := newRig(t, k)
		r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: lines(echo)}, nil
		}}, list{Listener: r.listen()})
		second := make(chan error, 1)
		go func() { second <- r.eng.Serve(list{Listener: r.listen()}, nil) }()
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := within(t, "Serve to return", second); err != netconn.ErrShutdown {
			t.Errorf("Serve returned %v", err)
		}
	})
}

// In a testing/synctest bubble, an engine that was told to end leaves nothing behind for which the bubble's time would
// have to go on.
func TestBubble(t *testing.T) {
	for _, end := range []func(e *netconn.Engine) error{
		(*netconn.Engine).Close,
		func(e *netconn.Engine) error { return e.Shutdown(context.Background()) },
	} {
		synctest.Test(t, func(t *testing.T) {
			one, other := net.Pipe()
			eng := netconn.New(netconn.Config{})
			if err := eng.Run(one, nil, func(*netconn.Conn) (netconn.Protocol, error) { return bubbleEcho{}, nil }); err != nil {
				t.Fatal(err)
			}
			var got [6]byte
			if _, err := other.Write([]byte("hello\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(other, got[:]); err != nil || string(got[:]) != "hello\n" {
				t.Fatalf("%q, %v", got, err)
			}
			other.Close()
			if err := end(eng); err != nil {
				t.Error(err)
			}
		})
	}
}

// In a bubble, an engine whose listener was closed and whose connections have ended leaves nothing behind either, even
// without Shutdown or Close.
func TestBubbleWithoutShutdown(t *testing.T) {
	for _, secured := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
			var cfg *tls.Config
			if secured {
				cfg = serverTLS()
			}
			eng := netconn.New(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) { return bubbleEcho{}, nil }})
			done := make(chan error)
			go func() { done <- eng.Serve(l, cfg) }()
			for range 2 {
				transport, err := l.Dial()
				if err != nil {
					t.Fatal(err)
				}
				nc := net.Conn(transport)
				if secured {
					nc = tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
				}
				if _, err := nc.Write([]byte("hello\n")); err != nil {
					t.Fatal(err)
				}
				var got [6]byte
				if _, err := io.ReadFull(nc, got[:]); err != nil || string(got[:]) != "hello\n" {
					t.Fatalf("%q, %v", got, err)
				}
				nc.Close()
			}
			synctest.Wait()
			l.Close()
			<-done
		})
	}
}

// bubbleEcho sends back its input.
type bubbleEcho struct{}

func (bubbleEcho) Data(c *netconn.Conn, in []byte) (int, error) { return c.Write(in) }
func (bubbleEcho) End(*netconn.Conn, error)                     {}
