package netconn_test

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// keeper is a program's own listener that keeps the connections it has accepted. It embeds a type that the engine knows.
type keeper struct {
	*net.TCPListener
	kept chan *net.TCPConn
}

func (l keeper) Accept() (net.Conn, error) {
	nc, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	l.kept <- nc
	return nc, nil
}

// foreign are kinds of connections that the program holds besides the engine: from the program's own listener, and from
// an OnState.
var foreign = []kind{
	{name: "kept tcp", network: "tcp"},
	{name: "kept tcp with tls", network: "tcp", tls: true},
	{name: "OnState tcp", network: "tcp", split: wiretest.EveryByte},
	{name: "OnState tcp with tls", network: "tcp", tls: true, split: wiretest.EveryByte},
	{name: "plain tcp", network: "tcp", loop: netconn.Plain},
}

// onForeign runs test on each of the foreign kinds. start begins to serve data and calls begun with each connection and
// its kept net.Conn.
func onForeign(t *testing.T, test func(t *testing.T, k kind, start func(cfg netconn.Config,
	begun func(c *netconn.Conn, kept *net.TCPConn), data func(*netconn.Conn, []byte) (int, error)) *rig)) {
	for _, k := range foreign {
		t.Run(k.name, func(t *testing.T) {
			test(t, k, func(cfg netconn.Config, begun func(*netconn.Conn, *net.TCPConn), data func(*netconn.Conn, []byte) (int, error)) *rig {
				r := newRig(t, k)
				l := keeper{r.listen().(*net.TCPListener), make(chan *net.TCPConn, 10)}
				cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
					var nc *net.TCPConn
					if len(l.kept) > 0 {
						nc = <-l.kept
					}
					begun(c, nc)
					return &protocol{r: r, data: data}, nil
				}
				if k.split != nil {
					cfg.OnState = func(net.Conn, netconn.State) {}
				}
				if k.loop == netconn.Plain || k.split != nil {
					return r.start(cfg, l.TCPListener)
				}
				return r.start(cfg, l)
			})
		})
	}
}

// A read deadline that a program sets on the connection itself, or on the tls.Conn over it, ends a wait for input with a
// timeout, and the connection with it.
func TestForeignReadDeadline(t *testing.T) {
	for _, when := range []string{"before", "meanwhile"} {
		onForeign(t, func(t *testing.T, k kind, start func(netconn.Config, func(*netconn.Conn, *net.TCPConn), func(*netconn.Conn, []byte) (int, error)) *rig) {
			conns := make(chan *netconn.Conn, 1)
			r := start(netconn.Config{}, func(c *netconn.Conn, _ *net.TCPConn) {
				if when == "before" {
					_ = c.NetConn().SetReadDeadline(time.Now().Add(millis(10)))
				}
				conns <- c
			}, lines(echo))
			talk := r.dial()
			c := within(t, "the connection", conns)
			if when == "meanwhile" {
				talk.Send("hello\n")
				talk.Want("hello\n")
				eventually(t, "the connection to wait", func() bool { return netconn.Waits(&c.Link) })
				_ = c.NetConn().SetReadDeadline(time.Unix(1, 0))
			}
			if err := r.wantEnd(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("ended with %v, want a timeout", err)
			}
			talk.WantGone()
		})
	}
}

// A read deadline that a program sets on the connection itself also ends the Fill of a Data that reads further.
func TestForeignFill(t *testing.T) {
	onForeign(t, func(t *testing.T, k kind, start func(netconn.Config, func(*netconn.Conn, *net.TCPConn), func(*netconn.Conn, []byte) (int, error)) *rig) {
		r := start(netconn.Config{}, func(*netconn.Conn, *net.TCPConn) {}, outside(func(c *netconn.Conn, _ string) error {
			_ = c.NetConn().SetReadDeadline(time.Now().Add(millis(10)))
			_, err := c.Fill()
			return err
		}))
		talk := r.dial()
		talk.Send("fill\n")
		if err := r.wantEnd(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want a timeout", err)
		}
		talk.WantGone()
	})
}

// A write deadline that a program sets on the connection itself ends a write to a peer that reads nothing.
func TestForeignWriteDeadline(t *testing.T) {
	onForeign(t, func(t *testing.T, k kind, start func(netconn.Config, func(*netconn.Conn, *net.TCPConn), func(*netconn.Conn, []byte) (int, error)) *rig) {
		failed := make(chan error, 1)
		r := start(netconn.Config{MinWriteRate: -1}, func(*netconn.Conn, *net.TCPConn) {}, lines(func(c *netconn.Conn, _ string) error {
			_ = c.NetConn().SetWriteDeadline(time.Now().Add(millis(50)))
			for {
				if _, err := c.Write(make([]byte, 100_000)); err != nil {
					failed <- err
					return err
				}
			}
		}))
		r.dial().Send("write\n")
		if err := within(t, "the write to fail", failed); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want a timeout", err)
		}
		if err := r.wantEnd(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want a timeout", err)
		}
	})
}

// A Close of the NetConn, while the connection is idle, in Data or in Fill, ends the connection: the peer sees the end.
func TestForeignClose(t *testing.T) {
	for _, place := range []string{"new", "idle", "data", "fill"} {
		t.Run(place, func(t *testing.T) {
			onForeign(t, func(t *testing.T, k kind, start func(netconn.Config, func(*netconn.Conn, *net.TCPConn), func(*netconn.Conn, []byte) (int, error)) *rig) {
				conns, at := make(chan *netconn.Conn, 1), make(chan struct{})
				r := start(netconn.Config{}, func(c *netconn.Conn, _ *net.TCPConn) {
					if place == "new" {
						_ = c.NetConn().Close()
					}
					conns <- c
				}, outside(func(c *netconn.Conn, line string) error {
					switch place {
					case "data":
						_ = c.NetConn().Close()
					case "fill":
						close(at)
						_, err := c.Fill()
						return err
					}
					return echo(c, line)
				}))
				talk := r.dial()
				c := within(t, "the connection", conns)
				switch place {
				case "idle":
					talk.Send("hello\n")
					talk.Want("hello\n")
					_ = c.NetConn().Close()
				case "data":
					talk.Send("hello\n")
				case "fill":
					talk.Send("hello\n")
					within(t, "Data", at)
					_ = c.NetConn().Close()
				}
				talk.WantGone()
				if err := r.wantEnd(); err == nil {
					t.Error("ended in good order")
				}
			})
		})
	}
}

// An OnState that closes its connection, at any change of state, ends the connection.
func TestForeignHookCloses(t *testing.T) {
	for _, secured := range []bool{false, true} {
		for _, at := range []netconn.State{netconn.StateNew, netconn.StateActive, netconn.StateIdle} {
			r := newRig(t, kind{name: "tcp", network: "tcp", tls: secured})
			r.start(netconn.Config{
				OnState: func(nc net.Conn, s netconn.State) {
					if s == at {
						_ = nc.Close()
					}
				},
				New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
					return &protocol{r: r, data: lines(echo)}, nil
				},
			}, r.listen())
			nc, err := r.connect()
			if err != nil {
				if !secured || at != netconn.StateNew {
					t.Fatal(err)
				}
				continue // during the handshake
			}
			_, _ = io.WriteString(nc, "hello\n")
			wiretest.NewTalk(t, nc).WantGone()
			_ = nc.Close()
		}
	}
}

// A connection that a program's own listener has accepted is served outside the latch. The program may have kept it, and
// may close it at any time, also while Data runs, without waiting.
func TestKeptIsPlain(t *testing.T) {
	for _, secured := range []bool{false, true} {
		r := newRig(t, kind{name: "kept tcp", network: "tcp", tls: secured})
		l := keeper{r.listen().(*net.TCPListener), make(chan *net.TCPConn, 1)}
		at, release := make(chan struct{}), make(chan struct{})
		r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
				if c.Latched() {
					t.Error("the connection is served inside the latch")
				}
				if line == "busy" {
					close(at)
					<-release
				}
				return echo(c, line)
			})}, nil
		}}, l)
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Send("busy\n")
		within(t, "Data", at)
		closed := make(chan error, 1)
		nc := within(t, "the kept connection", l.kept)
		go func() { closed <- nc.Close() }()
		if err := within(t, "Close to return while Data runs", closed); err != nil {
			t.Errorf("Close: %v", err)
		}
		talk.WantGone()
		close(release)
		if err := r.wantEnd(); err == nil || err == io.EOF {
			t.Errorf("ended with %v", err)
		}
	}
}

// A label changes nothing about how connections are accepted and served; New finds it.
func TestLabelled(t *testing.T) {
	onSome(t, isOurs, func(t *testing.T, k kind) {
		r := newRig(t, k)
		l := r.listen()
		var asked atomic.Int32
		r.start(netconn.Config{New: func(_ *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
			if labelled, ok := l.(*netconn.Labelled); !ok || labelled.Label != "label" {
				t.Errorf("New got %v", l)
			}
			return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
				if c.Latched() != k.latched() {
					t.Errorf("latched: %v", c.Latched())
				}
				return echo(c, line)
			})}, nil
		}}, &netconn.Labelled{Listener: l, Label: "label", Accepting: func(accept func() (net.Conn, error)) (net.Conn, error) {
			asked.Add(1)
			return accept()
		}})
		r.l = l
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		if asked.Load() == 0 {
			t.Error("Accepting was not called")
		}
	})
}
