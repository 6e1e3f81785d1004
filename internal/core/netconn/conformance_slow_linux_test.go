package netconn_test

import (
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// listenSmall is listen with connections whose send buffers hold that many bytes.
func (r *rig) listenSmall(size int) net.Listener {
	l := r.listen()
	if nl, ok := l.(syscall.Conn); ok {
		raw, err := nl.SyscallConn()
		if err != nil {
			r.t.Fatal(err)
		}
		_ = raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, size)
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return l
}

// Pipelined responses arrive whole at a peer that reads slowly, however the connection ends behind them.
func TestSlowLink(t *testing.T) {
	const count = 400
	response := strings.Repeat("x", 1000) + "\n"
	for _, how := range []string{"done", "half close", "shutdown"} {
		t.Run(how, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				var handled atomic.Int64
				r := newRig(t, k)
				r.start(netconn.Config{LingerTimeout: patience, New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
					return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
						if _, err := c.Write([]byte(response)); err != nil {
							return err
						}
						c.FlushSoon()
						handled.Add(1)
						if line == "last" {
							return netconn.ErrDone
						}
						return nil
					})}, nil
				}}, r.listenSmall(16<<10))
				talk := r.dial()
				if tcp, ok := transport(talk.Conn).(*net.TCPConn); ok {
					_ = tcp.SetReadBuffer(32 << 10)
				}
				talk.Send(strings.Repeat("hello\n", count-1))
				switch how {
				case "done":
					talk.Send("last\n")
				case "half close":
					talk.Send("hello\n")
					talk.HalfClose()
				}
				var ended chan error
				for i := range count {
					if i < 30 { // the socket fills up
						time.Sleep(millis(1))
					}
					if i == count-1 && how == "shutdown" {
						break // only the earlier responses have been asked for
					}
					// Where each byte is received alone, only what was received before Shutdown gets a response after it.
					if i == count-2 && how == "shutdown" && k.split != nil {
						eventually(t, "the last to be asked", func() bool { return handled.Load() == count-1 })
					}
					if i >= 100 && ended == nil && how == "shutdown" && (k.split == nil || handled.Load() == count-1) {
						ended = make(chan error, 1)
						go func() { ended <- r.shutdown() }()
						within(t, "Serve to return", r.done)
					}
					talk.Want(response)
				}
				talk.WantEOF()
				talk.Close()
				if ended != nil {
					if err := within(t, "Shutdown", ended); err != nil {
						t.Errorf("Shutdown: %v", err)
					}
				}
				err := r.wantEnd()
				want := map[string]error{"half close": io.EOF, "shutdown": netconn.ErrShutdown}[how]
				if err != want {
					t.Errorf("ended with %v, want %v", err, want)
				}
			})
		})
	}
}

// When an idle connection is ended before its last response has arrived, a message that comes meanwhile does not cause a
// reset that destroys the response.
func TestIdleLingers(t *testing.T) {
	const size = 200_000
	for _, how := range []string{"idle", "shutdown"} {
		t.Run(how, func(t *testing.T) {
			onSome(t, isTCP, func(t *testing.T, k kind) {
				clk := clock.NewManual()
				cfg := netconn.Config{IdleTimeout: time.Minute, LingerTimeout: patience, MinWriteRate: -1, IdlePark: -1}
				if how == "idle" {
					cfg.Clock = clk
				}
				r := newRig(t, k)
				conns := make(chan *netconn.Conn, 1)
				cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
					conns <- c
					return &protocol{r: r, data: lines(func(c *netconn.Conn, _ string) error {
						_, err := c.Write(make([]byte, size))
						return err
					})}, nil
				}
				r.start(cfg, r.listenSmall(400<<10))
				talk := r.dial()
				c := within(t, "the connection", conns)
				talk.Send("much\n")
				eventually(t, "the kernel to have the response", func() bool {
					return r.eng.Stats().BytesOut >= size && netconn.Waits(&c.Link)
				})
				ended := make(chan error, 1)
				want := netconn.ErrIdle
				if how == "idle" {
					eventually(t, "the idle time to pass", func() bool { clk.Advance(time.Minute); return len(r.ends) > 0 })
				} else {
					want = netconn.ErrShutdown
					go func() { ended <- r.shutdown() }()
				}
				if err := r.wantEnd(); err != want {
					t.Errorf("ended with %v, want %v", err, want)
				}
				eventually(t, "the connection to linger, or to be closed", func() bool {
					return r.eng.Stats().Open == 0 || netconn.Blocked("IO wait", "transport.(*Conn).Drop")
				})
				if r.eng.Stats().Open == 0 {
					t.Error("the connection was closed before its response arrived")
				}
				talk.Send("late\n")
				got := talk.Rest()
				if len(got) != size {
					t.Errorf("%d bytes of the response have arrived", len(got))
				}
				talk.Close()
				if how == "shutdown" {
					if err := within(t, "Shutdown", ended); err != nil {
						t.Errorf("Shutdown: %v", err)
					}
				}
			})
		})
	}
}

// A connection that was hijacked inside the latch can wait for input although the process has no descriptor left.
func TestHijackWithoutDescriptors(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		hijacked := make(chan struct{})
		r, taken := takeOver(t, k, true, func(nc net.Conn) {
			close(hijacked)
			p := make([]byte, 5)
			if _, err := io.ReadFull(nc, p); err != nil || string(p) != "hello" {
				t.Errorf("Read: %q, %v", p, err)
			}
		})
		talk := r.dial()
		talk.Send("before\n")
		talk.Want("before\n")
		restore := forbidDescriptors(t)
		defer restore()
		talk.Send("take\n")
		within(t, "the hijack", hijacked)
		netconn.WaitUntilBlocked(t, "select", "latchedconn.(*Conn).wait")
		talk.Want("before\n")
		talk.Send("hello")
		got := within(t, "Data to return", taken)
		restore()
		_ = got.nc.Close()
		talk.WantEOF()
	})
}

// On a connection that was hijacked inside the latch, two waiting reads are both woken by a deadline that is set
// meanwhile, and neither is woken by a distant one.
func TestHijackedReads(t *testing.T) {
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		r, taken := takeOver(t, k, true, func(nc net.Conn) {
			errs := make(chan error, 2)
			for range 2 {
				go func() {
					_, err := nc.Read(make([]byte, 1))
					errs <- err
				}()
			}
			both := func() bool {
				stacks := make([]byte, 1<<20)
				return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "latchedconn.(*Conn).wait(") == 2
			}
			eventually(t, "both reads to wait", both)
			_ = nc.SetReadDeadline(time.Now().Add(time.Hour))
			eventually(t, "both reads to go on waiting", both)
			if len(errs) > 0 {
				t.Error("a distant deadline ended a Read")
			}
			_ = nc.SetReadDeadline(time.Unix(1, 0))
			for range 2 {
				if err := within(t, "both reads to be woken", errs); err == nil || !strings.Contains(err.Error(), "timeout") {
					t.Errorf("Read: %v, want a timeout", err)
				}
			}
			_ = nc.SetReadDeadline(time.Time{})
		})
		talk := r.dial()
		talk.Send("take\n")
		talk.Want("before\n")
		_ = within(t, "the connection", taken).nc.Close()
		talk.WantEOF()
	})
}
