package netconn_test

import (
	"errors"
	"io"
	"math"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// changed is a listener whose connections are changed.
type changed struct {
	net.Listener
	change func(nc net.Conn) net.Conn
}

func (l changed) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.change(nc), nil
}

// timeless is a connection without deadlines.
type timeless struct{ net.Conn }

var errTimeless = errors.New("no deadlines here")

func (timeless) SetDeadline(time.Time) error      { return errTimeless }
func (timeless) SetReadDeadline(time.Time) error  { return errTimeless }
func (timeless) SetWriteDeadline(time.Time) error { return errTimeless }

// On a transport whose reads cannot be interrupted, watching for the peer's end does not delay a response.
func TestOnGoneWithoutDeadlines(t *testing.T) {
	r := newRig(t, kind{name: "timeless tcp", network: "tcp"})
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
			defer c.OnGone(func() {}).Stop()
			return echo(c, line)
		})}, nil
	}}, changed{r.listen(), func(nc net.Conn) net.Conn { return timeless{nc} }})
	talk := r.dial()
	for range 5 {
		talk.Send("hello\n")
		talk.Want("hello\n")
	}
	talk.Send("hello\nhello\n")
	talk.Want("hello\nhello\n")
	talk.HalfClose()
	talk.WantEOF()
	if err := r.wantEnd(); err != io.EOF {
		t.Errorf("ended with %v, want io.EOF", err)
	}
}

// hesitant is a connection whose Read returns nothing a few times before each Read that returns something.
type hesitant struct {
	net.Conn
	times int
	n     int
}

func (c *hesitant) Read(p []byte) (int, error) {
	if c.n++; c.n%(c.times+1) != 0 {
		return 0, nil
	}
	return c.Conn.Read(p)
}

// Reads that return neither a byte nor an error are tolerated for a while, in the loop and in Fill, with and without TLS.
// After too many of them the connection ends.
func TestEmptyReads(t *testing.T) {
	for _, secured := range []bool{false, true} {
		r := newRig(t, kind{name: "hesitant tcp", network: "tcp", tls: secured})
		r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			return &protocol{r: r, data: outside(func(c *netconn.Conn, line string) error {
				for len(c.Unread()) == 0 {
					if _, err := c.Fill(); err != nil {
						return err
					}
				}
				return echo(c, line)
			})}, nil
		}}, changed{r.listen(), func(nc net.Conn) net.Conn { return &hesitant{Conn: nc, times: 9} }})
		talk := r.dial()
		next := 'a'
		talk.Send("a\n")
		for range 40 {
			talk.Send(string(next+1) + "\n")
			talk.Want(string(next) + "\n") // Data had to read the one behind it
			next++
		}
	}
	r := newRig(t, kind{name: "empty tcp", network: "tcp"})
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(echo)}, nil
	}}, changed{r.listen(), func(nc net.Conn) net.Conn { return &hesitant{Conn: nc, times: math.MaxInt} }})
	talk := r.dial()
	if err := r.wantEnd(); err != io.ErrNoProgress {
		t.Errorf("ended with %v, want io.ErrNoProgress", err)
	}
	talk.WantGone()
}

// Without a grace no peer is judged, however slow it is.
func TestNoRateGrace(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		conns := make(chan *netconn.Conn, 1)
		r := serve(t, k, netconn.Config{Clock: clk, RateGrace: -1, MinReadRate: 1 << 30, MinWriteRate: 1 << 30},
			outside(func(c *netconn.Conn, line string) error {
				conns <- c
				if line == "write" {
					keepLittle(c.NetConn())
					_, err := c.Write(make([]byte, 2<<20))
					return err
				}
				for len(c.Unread()) < 10 {
					if _, err := c.Fill(); err != nil {
						t.Errorf("Fill: %v", err)
						return err
					}
				}
				c.Take(10)
				return echo(c, "read")
			}))
		talk := r.dial()
		talk.Send("read\n")
		c := within(t, "Data", conns)
		for range 10 {
			eventually(t, "the connection to wait", func() bool { return netconn.Waits(&c.Link) })
			clk.Advance(time.Minute)
			talk.Send("x")
		}
		talk.Want("read\n")
		talk.Send("write\n")
		within(t, "Data", conns)
		for range 4 {
			clk.Advance(time.Minute)
			talk.WantN(512 << 10)
		}
		if n := r.eng.Stats().Slow; n != 0 {
			t.Errorf("%d were found to be slow", n)
		}
	})
}

// After a failed write, a Fill that waits returns the error of the write, and so does the next Fill.
func TestFailedWriteEndsFill(t *testing.T) {
	test := func(t *testing.T, c *netconn.Pulled) {
		filled := make(chan error, 1)
		go func() {
			_, err := c.Fill()
			filled <- err
		}()
		eventually(t, "Fill to wait", func() bool { return netconn.Waits(&c.Link) })
		_ = c.SetWriteDeadline(time.Unix(1, 0))
		_, werr := c.Write([]byte("late"))
		if !errors.Is(werr, netconn.ErrSlow) {
			t.Errorf("Write failed with %v", werr)
		}
		if err := within(t, "Fill to return", filled); err != werr {
			t.Errorf("Fill failed with %v, want %v", err, werr)
		}
		go func() {
			_, err := c.Fill()
			filled <- err
		}()
		if err := within(t, "the next Fill to return", filled); err != werr {
			t.Errorf("the next Fill failed with %v, want %v", err, werr)
		}
		c.Finish(netconn.ErrAbort)
	}
	onPulled(t, func(t *testing.T, k kind) {
		c, _ := pulled(t, k, netconn.Config{}, "")
		test(t, c)
	})
	t.Run("pipe", func(t *testing.T) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		defer func() { _ = far.Close() }()
		e := netconn.New(netconn.Config{})
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(near, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		test(t, c)
	})
}

// ringing is an Owner that reports its alarms.
type ringing struct {
	nobody
	rang *atomic.Int64
}

func (r ringing) Alarm() { r.rang.Add(1) }

// ringer is a Protocol that reports its alarms.
type ringer struct {
	*protocol
	rang *atomic.Int64
}

func (r ringer) Alarm() { r.rang.Add(1) }

// alarms checks what SetAlarm promises.
func alarms(t *testing.T, clk *clock.Clock, l *netconn.Link, rang *atomic.Int64) {
	t.Helper()
	rings := func(n int64) {
		t.Helper()
		eventually(t, "the alarm", func() bool { return rang.Load() >= n })
		if got := rang.Load(); got != n {
			t.Fatalf("%d alarms, want %d", got, n)
		}
	}
	l.SetAlarm(time.Second)
	clk.Advance(time.Second - 2*clock.Tick)
	if rang.Load() != 0 {
		t.Fatal("an alarm before its time")
	}
	clk.Advance(4 * clock.Tick)
	rings(1)
	clk.Advance(time.Minute) // once
	l.SetAlarm(time.Second)  // replaced by a later one
	l.SetAlarm(time.Minute)  //
	clk.Advance(time.Second) // not yet
	clk.Advance(time.Minute)
	rings(2)
	l.SetAlarm(90 * time.Second) // by an earlier one
	l.SetAlarm(time.Second)
	clk.Advance(2 * time.Second)
	rings(3)
	clk.Advance(2 * time.Minute)
	l.SetAlarm(time.Second) // taken back
	l.SetAlarm(0)
	clk.Advance(time.Minute)
	l.SetAlarm(time.Second)
	clk.Advance(2 * time.Second)
	rings(4)
	l.SetAlarm(time.Minute)
	clk.Lose(time.Hour) // does not count
	clk.Advance(59 * time.Second)
	rings(4)
	clk.Advance(2 * time.Second)
	rings(5)
}

// earlyRinger is a ringer that is also called when time is lost.
type earlyRinger struct{ ringer }

func (earlyRinger) AlarmEarly() {}

// When the process has lost time, the alarm of an EarlyAlarmer fires at once, if one is set.
func TestEarlyAlarm(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		var rang atomic.Int64
		conns := make(chan *netconn.Conn, 1)
		r := newRig(t, k)
		r.start(netconn.Config{Clock: clk, IdleTimeout: 24 * time.Hour,
			New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
				conns <- c
				return earlyRinger{ringer{&protocol{r: r, data: lines(echo)}, &rang}}, nil
			}}, r.listen())
		talk := r.dial()
		c := within(t, "the connection", conns)
		talk.Send("hello\n")
		talk.Want("hello\n")
		clk.Lose(time.Hour)
		clk.Advance(2 * clock.Tick)
		c.SetAlarm(time.Minute)
		clk.Lose(time.Second)
		clk.Advance(2 * clock.Tick)
		eventually(t, "the alarm", func() bool { return rang.Load() > 0 })
		if n := rang.Load(); n != 1 {
			t.Errorf("%d alarms", n)
		}
	})
}

// An alarm fires once, unless it was replaced or cancelled before. It also fires while the connection is idle, is parked,
// or waits for something else.
func TestAlarm(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		var rang atomic.Int64
		conns := make(chan *netconn.Conn, 1)
		r := newRig(t, k)
		r.start(netconn.Config{Clock: clk, IdleTimeout: 24 * time.Hour, IdlePark: time.Second,
			New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
				conns <- c
				return ringer{&protocol{r: r, data: lines(echo)}, &rang}, nil
			}}, r.listen())
		talk := r.dial()
		c := within(t, "the connection", conns)
		talk.Send("hello\n")
		talk.Want("hello\n")
		eventually(t, "the connection to wait", func() bool { return netconn.Waits(&c.Link) })
		alarms(t, clk, &c.Link, &rang)
		talk.Send("hello\n")
		talk.Want("hello\n")
		c.SetAlarm(time.Second)
		talk.Close()
		r.wantEnd()
		eventually(t, "the connection to be over", func() bool { return r.eng.Stats().Open == 0 })
		clk.Advance(time.Minute)
		c.SetAlarm(time.Second) // there is no owner to call
		clk.Advance(time.Minute)
	})
}

// An alarm that fires before the connection has its Protocol is kept until then.
func TestAlarmBeforeTheOwner(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		var rang atomic.Int64
		r := newRig(t, k)
		r.start(netconn.Config{Clock: clk, IdleTimeout: 24 * time.Hour,
			New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
				c.SetAlarm(time.Second)
				clk.Advance(time.Minute)
				return ringer{&protocol{r: r, data: lines(echo)}, &rang}, nil
			}}, r.listen())
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		eventually(t, "the alarm", func() bool { clk.Advance(clock.Tick); return rang.Load() > 0 })
		clk.Advance(time.Minute)
		talk.Close()
		r.wantEnd()
		if n := rang.Load(); n != 1 {
			t.Errorf("%d alarms", n)
		}
	})
}

// An alarm of an Owner fires once, also while a goroutine waits in Fill and while the connection is watched.
func TestAlarmPulled(t *testing.T) {
	for _, during := range []string{"nothing", "fill", "watch"} {
		onPulled(t, func(t *testing.T, k kind) {
			clk := clock.NewManual()
			var rang atomic.Int64
			near, far := connection(t, k)
			e := netconn.New(brief(netconn.Config{Loop: k.loop, Clock: clk, MinReadRate: -1}))
			t.Cleanup(func() { _ = e.Close() })
			c, err := e.Pull(near, nil, ringing{rang: &rang})
			if err != nil {
				t.Fatal(err)
			}
			filled := make(chan error, 1)
			f, told := tell()
			stop := func() bool { return true }
			switch during {
			case "fill":
				go func() {
					_, err := c.Fill()
					filled <- err
				}()
				eventually(t, "Fill to wait", func() bool { return netconn.Waits(&c.Link) })
			case "watch":
				stop = c.Watch(100*time.Hour, f)
			}
			alarms(t, clk, &c.Link, &rang)
			if len(filled)+len(told) > 0 || !stop() {
				t.Error("an alarm has ended a wait")
			}
			if _, err := far.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			if during == "fill" {
				if err := within(t, "Fill", filled); err != nil {
					t.Errorf("Fill: %v", err)
				}
			} else {
				wantInput(t, c, "hello")
			}
			c.Abort()
			c.Finish(netconn.ErrAbort)
			_ = far.Close()
		})
	}
}

// An alarm that is set after the end of a connection does not keep the connection in memory, and its owner is not called.
func TestAlarmAfterTheEnd(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		var rang atomic.Int64
		near, far := connection(t, k)
		defer func() { _ = far.Close() }()
		e := netconn.New(brief(netconn.Config{Loop: k.loop, Clock: clk}))
		c, err := e.Pull(near, nil, ringing{rang: &rang})
		if err != nil {
			t.Fatal(err)
		}
		c.Finish(netconn.ErrAbort)
		c.SetAlarm(time.Minute)
		clk.Advance(2 * time.Minute)
		if n := rang.Load(); n != 0 {
			t.Errorf("%d alarms", n)
		}
		c.SetAlarm(time.Hour)
		ended := weak.Make(c)
		c = nil
		eventually(t, "the connection to be forgotten", func() bool {
			runtime.GC()
			return ended.Value() == nil
		})
		runtime.KeepAlive(clk)
	})
}
