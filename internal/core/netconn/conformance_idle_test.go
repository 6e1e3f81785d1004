package netconn_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// calmly echoes lines; "ping" belongs to no message if it comes in one piece.
func calmly(c *netconn.Conn, line string) error {
	if line == "ping" {
		c.StayIdle()
	}
	return echo(c, line)
}

// Bytes that belong to no message do not extend IdleTimeout, neither the first nor a later one. A message does, also one
// that comes together with such bytes.
func TestStayIdle(t *testing.T) {
	const idle = 10 * time.Second
	for _, before := range []string{"", "hello\n"} {
		atOnce(t, isWhole, func(t *testing.T, k kind) {
			r := serve(t, k, still(netconn.Config{IdleTimeout: idle, IdlePark: -1}), lines(calmly))
			talk := r.dial()
			say := func(s string) {
				t.Helper()
				talk.Send(s)
				talk.Want(s)
				r.settled()
			}
			say("ping\n")
			if before != "" {
				r.pass(idle / 2)
				say(before)
			}
			r.pass(idle - 2*time.Second)
			say("ping\n")
			if len(r.ends) > 0 {
				t.Error("the connection ended too early")
			}
			r.pass(time.Second)
			say("ping\n")
			r.pass(time.Second + 4*clock.Tick) // not more: the last ping was a second ago
			eventually(t, "the connection to end", r.ended)
			if err := r.wantEnd(); err != netconn.ErrIdle {
				t.Errorf("ended with %v, want ErrIdle", err)
			}
			talk.WantEOF()
		})
	}
}

// Bytes that belong to no message do not save a connection whose IdleTimeout has passed meanwhile.
func TestIdleTimeoutDuringData(t *testing.T) {
	const idle = 10 * time.Second
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		runs, goOn := make(chan struct{}, 1), make(chan struct{})
		r := serve(t, k, still(netconn.Config{IdleTimeout: idle, IdlePark: -1}), lines(func(c *netconn.Conn, line string) error {
			if line == "ping" {
				runs <- struct{}{}
				<-goOn
			}
			return calmly(c, line)
		}))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		r.settled()
		talk.Send("ping\n")
		within(t, "Data", runs)
		r.pass(idle + 4*clock.Tick)
		close(goOn)
		talk.Want("ping\n")
		if err := r.wantEnd(); err != netconn.ErrIdle {
			t.Errorf("ended with %v, want ErrIdle", err)
		}
	})
}

// OnState is not called for bytes that belong to no message, once the protocol has shown that there are such bytes.
func TestStayIdleIsNoActivity(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		var mu sync.Mutex
		var states []netconn.State
		told := func(want ...netconn.State) func() bool {
			return func() bool {
				mu.Lock()
				defer mu.Unlock()
				return slices.Equal(states, want)
			}
		}
		r, made := serveWork(t, k, netconn.Config{OnState: func(_ net.Conn, s netconn.State) {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, s)
		}}, func(c *netconn.Conn, line string) error {
			if line == "begin" {
				c.BeginWork()
			}
			return calmly(c, line)
		})
		talk := r.dial()
		w := within(t, "the connection", made)
		say := func(s string, want ...netconn.State) {
			t.Helper()
			talk.Send(s)
			talk.Want(s)
			eventually(t, fmt.Sprint(want, " after ", s), told(want...))
			w.waits(t)
			if !told(want...)() {
				t.Errorf("got %v after %q, want %v", states, s, want)
			}
		}
		all := []netconn.State{netconn.StateNew, netconn.StateActive, netconn.StateIdle}
		say("ping\n", all...)
		say("ping\n", all...)
		all = append(all, netconn.StateActive)
		say("begin\n", all...)
		say("ping\n", all...)
		w.conn.EndWork()
		all = append(all, netconn.StateIdle)
		eventually(t, "the connection to be idle", told(all...))
		w.waits(t)
		say("ping\n", all...)
		say("hello\n", append(all, netconn.StateActive, netconn.StateIdle)...)
	})
}

// inputEnder is a worker whose EndOfInput is called.
type inputEnder struct {
	*worker
	ended chan bool // whether End had been called before
	said  error     // error of a read
	over  chan error
}

func (e *inputEnder) EndOfInput(err error) {
	e.said = err
	e.ended <- len(e.over) > 0
}

func (e *inputEnder) End(c *netconn.Conn, err error) {
	e.over <- err
	e.worker.End(c, err)
}

// EndOfInput is called once when the peer has ended its half or is gone, and before End, which waits for work if the peer
// can still read. It is not called when we end the connection.
func TestInputEnder(t *testing.T) {
	for name, tc := range map[string]struct {
		do          func(r *rig, e *inputEnder, half, reset func())
		told, waits bool
	}{
		"half closed": {func(_ *rig, _ *inputEnder, half, _ func()) { half() }, true, true},
		"reset":       {func(_ *rig, _ *inputEnder, _, reset func()) { reset() }, true, false},
		"aborted":     {func(_ *rig, e *inputEnder, _, _ func()) { e.conn.Abort() }, false, false},
	} {
		for _, work := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " work ", work), func(t *testing.T) {
				atOnce(t, func(k kind) bool { return isOurs(k) && k.network != "unix" }, func(t *testing.T, k kind) {
					r := newRig(t, k)
					made := make(chan *inputEnder, 1)
					r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
						w := &worker{protocol: protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
							if work {
								c.BeginWork()
							}
							return echo(c, line)
						})}, conn: c, nudged: make(chan string, 1000)}
						e := &inputEnder{worker: w, ended: make(chan bool, 9), over: make(chan error, 1)}
						made <- e
						return e, nil
					}}, r.listen())
					talk := r.dial()
					e := within(t, "the connection", made)
					talk.Send("hello\n")
					talk.Want("hello\n")
					e.waits(t)
					tc.do(r, e, talk.HalfClose, talk.Reset)
					if tc.told && within(t, "the end of input", e.ended) {
						t.Error("End came first")
					}
					if tc.told && (e.said == io.EOF) != tc.waits {
						t.Errorf("reading returned %v", e.said)
					}
					if tc.waits && work {
						e.runs(t)
						if len(e.over) > 0 {
							t.Fatal("End did not wait for work")
						}
						if _, err := e.conn.Write([]byte("answer\n")); err != nil {
							t.Error(err)
						}
						e.conn.EndWork()
						talk.Want("answer\n")
						talk.WantEOF()
					}
					within(t, "End", e.over)
					if !tc.told {
						for len(e.ended) > 0 { // EndOfInput may be called for a broken connection, once
							<-e.ended
						}
					}
					if len(e.ended) > 0 {
						t.Error("f was called twice")
					}
				})
			})
		}
	}
}

// runs makes Data run while the end of the work is awaited.
func (e *inputEnder) runs(t *testing.T) {
	t.Helper()
	e.quiet()
	e.conn.Nudge()
	within(t, "Data to run after Nudge", e.nudged)
}
