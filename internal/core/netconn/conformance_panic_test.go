package netconn_test

import (
	"bytes"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// record is a log that a test can read.
type record struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// A panic or a Goexit in Data is logged and ends its connection, and nothing else.
func TestPanicAndGoexit(t *testing.T) {
	for _, unlatch := range []bool{false, true} {
		name := map[bool]string{false: "inside", true: "outside"}[unlatch]
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				var log record
				r := serve(t, k, netconn.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))},
					lines(func(c *netconn.Conn, line string) error {
						if unlatch && c.Latched() {
							return netconn.ErrUnlatch
						}
						switch line {
						case "panic":
							panic("on purpose")
						case "goexit":
							runtime.Goexit()
						}
						return echo(c, line)
					}))
				other := r.dial()
				other.Send("hello\n")
				other.Want("hello\n")
				for _, way := range []string{"panic", "goexit"} {
					talk := r.dial()
					talk.Send("hello\n")
					talk.Want("hello\n")
					talk.Send(way + "\n")
					talk.WantGone()
					talk.Close()
					if err := r.wantEnd(); err != netconn.ErrPanic {
						t.Errorf("%s: ended with %v, want ErrPanic", way, err)
					}
				}
				other.Send("still here\n")
				other.Want("still here\n")
				if n := r.eng.Stats().Panics; n != 2 {
					t.Errorf("Stats.Panics is %d, want 2", n)
				}
				if s := log.String(); !strings.Contains(s, "on purpose") || !strings.Contains(s, "Goexit") {
					t.Errorf("the log says %q", s)
				}
			})
		})
	}
}

// A Goexit of a Data that has announced it ends the connection in good order: what Data has written arrives, then the end
// of the stream, and nothing is logged.
func TestLeaveInOrder(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var log record
		r := serve(t, k, netconn.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, lines(func(c *netconn.Conn, line string) error {
			_ = echo(c, line)
			c.LeaveInOrder()
			runtime.Goexit()
			return nil
		}))
		talk := r.dial()
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		talk.Close()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v", err)
		}
		if n, s := r.eng.Stats().Panics, log.String(); n != 0 || s != "" {
			t.Errorf("Stats.Panics is %d, the log says %q", n, s)
		}
	})
}

// A panic in New or End does not end the program and leaves nothing behind.
func TestPanicInNewAndEnd(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := newRig(t, k)
		r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			if netconn.StatsOf(&c.Link).Accepted == 1 {
				panic("New, on purpose")
			}
			p := &protocol{r: r, data: lines(echo), end: func(*netconn.Conn, error) { panic("End, on purpose") }}
			return p, nil
		}}, r.listen())
		if nc, err := r.connect(); err == nil { // it may be reset before it is known to be there
			first := wiretest.NewTalk(t, nc)
			first.WantGone()
			first.Close()
		}
		eventually(t, "the first connection to end", func() bool {
			s := r.eng.Stats()
			return s.Panics == 1 && s.Open == 0
		})
		second := r.dial()
		second.Send("hello\n")
		second.Want("hello\n")
		second.Close()
		eventually(t, "the second connection to end", func() bool { return r.eng.Stats().Open == 0 })
	})
}

// A hijacked connection belongs to its new owner, whatever happens to Data.
func TestPanicAfterTakeOver(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		taken := make(chan net.Conn, 1)
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			nc, _, err := c.Hijack()
			if err != nil {
				return err
			}
			taken <- nc
			panic("on purpose")
		}))
		talk := r.dial()
		talk.Send("take\n")
		nc := within(t, "the connection", taken)
		r.wantEnd()
		if _, err := nc.Write([]byte("still mine\n")); err != nil {
			t.Errorf("the new owner's write: %v", err)
		}
		talk.Want("still mine\n")
		_ = nc.Close()
	})
}

// An End that calls runtime.Goexit, as a failing test does, leaves nothing behind: the connection is closed, and Shutdown
// does not wait for it.
func TestGoexitInEnd(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := newRig(t, k)
		r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: lines(echo), end: func(*netconn.Conn, error) { runtime.Goexit() }}, nil
		}}, r.listen())
		left, idle := r.dial(), r.dial()
		for _, talk := range []*wiretest.Talk{left, idle} {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		left.HalfClose()
		left.WantEOF()
		eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 1 })
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		idle.WantEOF()
	})
}
