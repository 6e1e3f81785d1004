package netconn_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Each test in this file and in rules_lot_linux_test.go stands for one rule of the serve loops: the first sentence says
// the rule, and the test fails when the loop breaks it.

// onSocket runs f on the descriptor of nc.
func onSocket(t *testing.T, nc net.Conn, f func(fd int) error) {
	t.Helper()
	raw, err := nc.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = f(int(fd)) }); err != nil || ferr != nil {
		t.Fatal(err, ferr)
	}
}

// What Data appends leaves in one write at its end. The responses to sixteen pipelined messages make one segment, on every
// loop over TCP, and with TLS one record.
func TestOneSegmentPerBatch(t *testing.T) {
	onSome(t, isTCP, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		talk := r.dial()
		batch := strings.Repeat("hello\n", 16)
		talk.Send(batch)
		talk.Want(batch) // with TLS the session tickets come before this
		before := segmentsIn(t, transport(talk.Conn))
		const rounds = 20
		for range rounds {
			talk.Send(batch)
			talk.Want(batch)
		}
		if n := segmentsIn(t, transport(talk.Conn)) - before; n != rounds {
			t.Errorf("%d segments for %d batches", n, rounds)
		}
	})
}

// A FIN that arrives in one segment with data is noticed. A short read proves that there is no more data, not that there
// is no FIN: a loop that waits after it would wait for ever. The client corks its last message, so data and FIN are one
// event. The messages are whole and partial, handled inside the latch and outside.
func TestDataAndFinInOneSegment(t *testing.T) {
	for name, data := range map[string]func(*netconn.Conn, []byte) (int, error){
		"inside": lines(echo), "outside": outside(echo),
	} {
		t.Run(name, func(t *testing.T) {
			atOnce(t, func(k kind) bool { return isTCP(k) && !k.tls }, func(t *testing.T, k kind) {
				r := serve(t, k, netconn.Config{}, data)
				for i := range 100 {
					last, response, end := "last words\n", "last words\n", io.EOF
					if i%2 == 1 {
						last, response, end = "whole\npart", "whole\n", io.ErrUnexpectedEOF
					}
					talk := r.dial()
					if i%4 < 2 { // on the first read of the connection, and on a later one
						talk.Send("hello\n")
						talk.Want("hello\n")
					}
					const tcpCork = 3
					onSocket(t, talk.Conn, func(fd int) error {
						return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, tcpCork, 1)
					})
					talk.Send(last)
					talk.HalfClose()
					talk.Want(response)
					talk.WantEOF()
					talk.Close()
					if err := r.wantEnd(); err != end {
						t.Fatalf("round %d: ended with %v, want %v", i, err, end)
					}
				}
			})
		})
	}
}

// Data with the end of the stream, or data with a reset, that arrive before the loop first waits are a single edge, and
// both parts are noticed. TCP_INQ counts the end of the stream, but not a reset: after it reports 0, a receive without a
// response behind it must be followed by another. New blocks until everything has arrived, so the test needs no luck.
func TestAllInOneEdge(t *testing.T) {
	for _, how := range []string{"end", "reset"} {
		for _, text := range []string{"half", "whole\n"} {
			t.Run(how+" "+text[:4], func(t *testing.T) {
				atOnce(t, isTCP, func(t *testing.T, k kind) {
					arrived := make(chan struct{})
					r := newRig(t, k)
					r.start(netconn.Config{IdlePark: -1, IdleTimeout: -1, MessageTimeout: -1,
						New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
							<-arrived
							return &protocol{r: r, data: lines(func(*netconn.Conn, string) error { return nil })}, nil
						}}, r.listen())
					talk := r.dial()
					talk.Send(text)
					if how == "end" {
						talk.HalfClose()
					} else {
						talk.Reset()
					}
					time.Sleep(millis(5)) // on loopback all of it is there when the calls return
					close(arrived)
					err := r.wantEnd()
					if how == "reset" && !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("ended with %v, want ECONNRESET", err)
					}
					if how == "end" && err != io.EOF && err != io.ErrUnexpectedEOF {
						t.Errorf("ended with %v, want the end of the stream", err)
					}
				})
			})
		}
	}
}

// Sends and receives never block a thread, because they carry MSG_DONTWAIT. A program can clear O_NONBLOCK through File(),
// which shares the descriptor; a blocking read would stop the thread and, with GOMAXPROCS=1, the program. Other
// connections must go on, and this one too.
func TestBlockingDescriptor(t *testing.T) {
	atOnce(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: millis(20), MinWriteRate: -1}, lines(func(c *netconn.Conn, line string) error {
			switch line {
			case "block":
				f, err := c.NetConn().(interface{ File() (*os.File, error) }).File()
				if err != nil {
					return err
				}
				err = syscall.SetNonblock(int(f.Fd()), false)
				_ = f.Close()
				if err != nil {
					return err
				}
			case "much":
				_, err := c.Write(make([]byte, 16<<20))
				return err
			}
			return echo(c, line)
		}))
		talk, other := r.dial(), r.dial()
		talk.Send("block\n")
		talk.Want("block\n")
		for range 3 {
			other.Send("hello\n")
			other.Want("hello\n")
			talk.Send("hello\n")
			talk.Want("hello\n")
			time.Sleep(millis(15))
		}
		talk.Send("much\n") // fills the socket; the peer does not read yet
		time.Sleep(millis(20))
		other.Send("hello\n")
		other.Want("hello\n")
		talk.WantN(16 << 20)
		talk.HalfClose()
		talk.WantEOF()
	})
}

// Only a *net.TCPConn or *net.UnixConn itself is latched. A listener that counts bytes wraps its connections in a type
// that embeds one, and must see every byte.
func TestWrappedConnIsRespected(t *testing.T) {
	r := newRig(t, kind{name: "wrapped tcp", network: "tcp"})
	counting := wiretest.Count(r.listen())
	r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
			if c.Latched() {
				t.Error("a wrapped connection runs inside the latch")
			}
			return echo(c, line)
		})}, nil
	}}, counting)
	talk := r.dial()
	talk.Send("hello\nhello\n")
	talk.Want("hello\nhello\n")
	talk.Close()
	r.wantEnd()
	c := counting.Conns()[0]
	if c.BytesIn() != 12 || c.BytesOut() != 12 {
		t.Errorf("the wrapper saw %d bytes in and %d out, want 12 each", c.BytesIn(), c.BytesOut())
	}
}

// If OnState gets the net.Conn at every change of state, the plain loop is used, because the net.Conn must not be touched
// inside the latch. The states come in order.
func TestOnStateSelectsPlain(t *testing.T) {
	r := newRig(t, kind{name: "tcp", network: "tcp"})
	states := make(chan netconn.State, 20)
	cfg := netconn.Config{
		OnState: func(_ net.Conn, s netconn.State) { states <- s },
		New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: outside(func(c *netconn.Conn, line string) error {
				if line == "take" {
					nc, _, err := c.Hijack()
					if err == nil {
						_ = nc.Close()
					}
					return err
				}
				return echo(c, fmt.Sprint(c.Latched()))
			})}, nil
		},
	}
	r.start(cfg, r.listen())
	want := func(ss ...netconn.State) {
		t.Helper()
		for _, s := range ss {
			if got := within(t, "a change of state", states); got != s {
				t.Fatalf("state %d, want %d", got, s)
			}
		}
	}
	talk := r.dial()
	want(netconn.StateNew)
	for range 2 {
		talk.Send("hello\n")
		talk.Want("false\n")
		want(netconn.StateActive, netconn.StateIdle)
	}
	talk.Close()
	want(netconn.StateClosed)
	taken := r.dial()
	want(netconn.StateNew)
	taken.Send("take\n")
	want(netconn.StateActive, netconn.StateHijacked)
	if n := len(states); n != 0 {
		t.Errorf("OnState was called %d times too often", n)
	}
}

// Connections beyond the limit wait in the listen queue until there is room.
func TestMaxConns(t *testing.T) {
	atOnce(t, isTCP, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{MaxConns: 2}, lines(echo))
		first, second := r.dial(), r.dial()
		for _, talk := range []*wiretest.Talk{first, second} {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		nc, err := r.connectTransport() // the kernel completes the handshake
		if err != nil {
			t.Fatal(err)
		}
		waiting := wiretest.NewTalk(t, nc)
		waiting.WantSilence(millis(30))
		if n := r.eng.Stats().Open; n != 2 {
			t.Errorf("%d connections are open, with a limit of 2", n)
		}
		first.Close()
		eventually(t, "the third to be accepted", func() bool { return r.eng.Stats().Accepted == 3 })
		second.Send("hello\n")
		second.Want("hello\n")
	})
}

// When accept fails because there are no descriptors left, the engine pauses and tries again; it neither ends nor spins.
func TestOutOfDescriptors(t *testing.T) {
	r := newRig(t, kind{name: "tcp", network: "tcp"})
	l := r.listen()
	var waiting []net.Conn
	for range 5 {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = nc.Close() }()
		waiting = append(waiting, nc)
	}
	restore := forbidDescriptors(t)
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(echo)}, nil
	}}, l)
	eventually(t, "accept to fail", func() bool { return r.eng.Stats().AcceptErrors >= 2 })
	time.Sleep(millis(50))
	if n := r.eng.Stats().AcceptErrors; n > 50 {
		t.Errorf("%d failed accepts in 50 ms: the engine spins", n)
	}
	restore()
	for _, nc := range waiting {
		talk := wiretest.NewTalk(t, nc)
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Close()
	}
}

// forbidDescriptors makes every new descriptor of this process fail with EMFILE until restore is called.
func forbidDescriptors(t *testing.T) (restore func()) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	lower := limit
	lower.Cur = 3 // numbers from 3 on are not given out; descriptors that are open stay open
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lower); err != nil {
		t.Fatal(err)
	}
	restored := false
	restore = func() {
		if !restored {
			restored = true
			if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(restore)
	return restore
}

// A lack of descriptors or memory is temporary, so Serve tries again. Any other error ends Serve, which returns it.
func TestAcceptFails(t *testing.T) {
	r := newRig(t, kind{name: "tcp", network: "tcp"})
	broken := net.UnknownNetworkError("broken")
	passing := []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
	var errs []error
	for _, errno := range passing {
		errs = append(errs, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", errno)})
	}
	l := wiretest.Fail(r.listen(), append(errs, broken)...)
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(echo)}, nil
	}}, l)
	within(t, "Serve to return", r.done)
	if r.err != error(broken) {
		t.Errorf("Serve returned %v", r.err)
	}
	if n := r.eng.Stats().AcceptErrors; n != int64(len(passing)) {
		t.Errorf("Stats.AcceptErrors is %d, want %d", n, len(passing))
	}
	if nc, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = nc.Close()
		t.Error("Serve has not closed its listener")
	}
}

// A message costs no allocation: buffers come from a pool, deadlines are coarse, and no value is boxed.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	onSome(t, func(k kind) bool { return isTCP(k) && !k.tls }, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, func(c *netconn.Conn, in []byte) (int, error) {
			_, err := c.Write(in)
			return len(in), err
		})
		talk := r.dial()
		message, response := []byte("hello\n"), make([]byte, 6)
		round := func() {
			if _, err := talk.Conn.Write(message); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(talk.Conn, response); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			round()
		}
		if n := testing.AllocsPerRun(2000, round); n != 0 {
			t.Errorf("%v allocations per message", n)
		}
	})
}

// The counters of Stats count.
func TestStats(t *testing.T) {
	onSome(t, func(k kind) bool { return !k.tls }, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(echo))
		for range 3 {
			talk := r.dial()
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		eventually(t, "the counters", func() bool {
			s := r.eng.Stats()
			return s.Accepted == 3 && s.Open == 3 && s.BytesIn == 18 && s.BytesOut == 18 && s.Active+s.Parked == 3
		})
	})
}

// The coarse clock moves while it is used, and starts again when it is used again.
func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := netconn.New(netconn.Config{})
		defer func() { _ = eng.Close() }()
		for range 3 {
			if behind := time.Since(eng.Wall()); behind < 0 || behind > clock.Tick {
				t.Errorf("Now is %v behind", behind)
			}
			begin := eng.Wall()
			eventually(t, "time to pass", func() bool { return eng.Wall().After(begin) })
			time.Sleep(millis(150)) // long enough for the clock to go to sleep
		}
	})
}
