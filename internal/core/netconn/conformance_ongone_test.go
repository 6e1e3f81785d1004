package netconn_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Of several OnGone callbacks each can be stopped alone, and the others are called, once each.
func TestOnGoneMany(t *testing.T) {
	const wishes = 6
	onEvery(t, func(t *testing.T, k kind) {
		var fired [wishes]atomic.Int32
		told := make(chan int, wishes)
		asked, done := make(chan struct{}), make(chan struct{})
		var stops [wishes]func() bool
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			for i := range wishes {
				stops[i] = c.OnGone(func() { fired[i].Add(1); told <- i }).Stop
			}
			for _, i := range []int{4, 0, 2} {
				if !stops[i]() {
					t.Errorf("callback %d was not stopped in time", i)
				}
			}
			close(asked)
			<-done
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("wish\n")
		within(t, "the callbacks", asked)
		talk.HalfClose()
		for range wishes / 2 {
			within(t, "a callback to run", told)
		}
		for i := range wishes {
			if stops[i]() {
				t.Errorf("callback %d can still be stopped", i)
			}
			if n := fired[i].Load(); n != int32(i%2) { // the even ones were stopped
				t.Errorf("callback %d ran %d times", i, n)
			}
		}
		close(done)
		talk.Want("wish\n")
		talk.WantEOF()
		r.wantEnd()
		if len(told) > 0 {
			t.Error("a callback ran twice")
		}
	})
}

// An OnGone stays set while work is outstanding, also through later messages, unless it is stopped. The work is not
// disturbed.
func TestOnGoneOutlivesData(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		granted, stopped := make(chan struct{}, 9), make(chan struct{}, 9)
		stops := make(chan func() bool, 1)
		r, made := serveWork(t, k, netconn.Config{}, func(c *netconn.Conn, line string) error {
			if line == "begin" {
				c.BeginWork()
				c.OnGone(func() { granted <- struct{}{} })
				stops <- c.OnGone(func() { stopped <- struct{}{} }).Stop
			}
			return echo(c, line)
		})
		w, talk := atWork(t, r, made)
		for range 5 {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		w.nudge(t)
		if !(<-stops)() {
			t.Error("stop came too late")
		}
		talk.HalfClose()
		within(t, "the callback to run", granted)
		_, _ = w.conn.Write([]byte("answer\n"))
		w.conn.EndWork()
		talk.Want("answer\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
		if len(granted)+len(stopped) > 0 {
			t.Error("a callback ran twice, or after stop")
		}
	})
}

// OnGone may be called while no Data runs but work is outstanding: no arriving byte is lost, and the callback runs.
func TestOnGoneAfterData(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		f, granted := tell()
		w.conn.OnGone(f)
		for range 20 {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		talk.HalfClose()
		within(t, "the callback to run", granted)
		w.conn.EndWork()
		talk.WantEOF()
	})
}

// An OnGone that is set after the connection has ended does no harm.
func TestOnGoneAfterTheEnd(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		w.conn.Abort()
		talk.WantGone()
		r.wantEnd()
		eventually(t, "the connection to be over", func() bool { return r.eng.Stats().Open == 0 })
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("OnGone panicked: %v", v)
			}
		}()
		stop := w.conn.OnGone(func() {}).Stop
		stop()
		w.conn.EndWork()
	})
}

// An OnGone that is set after the peer's half has ended is called, too: its peer has gone.
func TestOnGoneWhileOutlasting(t *testing.T) {
	onSome(t, isAny, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		talk.HalfClose()
		outlasts(t)
		f, told := tell()
		w.conn.OnGone(f)
		defer w.conn.EndWork()
		within(t, "the callback to run", told)
	})
}

// wakeful is a connection that calls a function when the wait for the peer's end is being ended.
type wakeful struct {
	net.Conn
	then *atomic.Pointer[func()]
}

func (c wakeful) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if f := c.then.Load(); f != nil && n == 0 && err != nil {
		c.then.Store(nil)
		(*f)()
	}
	return n, err
}

// A Nudge that comes while the wait for the peer's end is being ended, after Data, is not lost: Data runs once more.
func TestNudgeMeetsOnGone(t *testing.T) {
	r := newRig(t, kind{name: "wakeful tcp", network: "tcp"})
	var then atomic.Pointer[func()]
	ran := make(chan struct{}, 100)
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: func(c *netconn.Conn, in []byte) (int, error) {
			if len(in) == 0 {
				ran <- struct{}{}
				return 0, nil
			}
			nudge := c.Nudge
			then.Store(&nudge)
			c.OnGone(func() {})
			_, err := c.Write(in)
			return len(in), err
		}}, nil
	}}, changed{r.listen(), func(nc net.Conn) net.Conn { return wakeful{nc, &then} }})
	talk := r.dial()
	talk.Send("hello\n")
	talk.Want("hello\n")
	within(t, "Data to run after Nudge", ran)
}

// Many goroutines set and stop OnGone while Data runs and messages come, and at last the peer leaves. Each callback is
// either stopped or called, and no byte is lost.
func TestOnGoneStorm(t *testing.T) {
	const wishers, wishes, rounds = 4, 10, 30
	onEvery(t, func(t *testing.T, k kind) {
		var granted, late atomic.Int64
		ends := make(chan struct{})
		r := serve(t, k, netconn.Config{IdlePark: time.Microsecond}, lines(func(c *netconn.Conn, line string) error {
			var all sync.WaitGroup
			for range wishers {
				all.Go(func() {
					for range wishes {
						if !c.OnGone(func() { granted.Add(1) }).Stop() {
							late.Add(1)
						}
					}
					if line == "last" {
						c.OnGone(func() { granted.Add(1) })
					}
				})
			}
			all.Wait()
			err := echo(c, line)
			if line == "last" {
				_ = c.Flush()
				<-ends
			}
			return err
		}))
		talk := r.dial()
		for range rounds {
			talk.Send("hello\nhello")
			talk.Send("\n")
			talk.Want("hello\nhello\n")
		}
		if granted.Load()+late.Load() != 0 {
			t.Error("a callback ran while the peer was there")
		}
		talk.Send("last\n")
		talk.Want("last\n")
		talk.HalfClose()
		eventually(t, "the callbacks to run", func() bool { return granted.Load() == wishers })
		close(ends)
		talk.WantEOF()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
	})
}

// kept is a part of the input that a test has retained.
type kept struct {
	shared *bufpool.Shared
	b      []byte
	want   string
}

// releaseSome checks and releases some of all, in any order, and returns the others.
func releaseSome(t *testing.T, rng *rand.Rand, all []kept, leave int) []kept {
	t.Helper()
	for len(all) > leave {
		i := rng.IntN(len(all))
		k := all[i]
		if string(k.b) != k.want {
			t.Fatalf("retained bytes changed to %.40q, they were %.40q", k.b, k.want)
		}
		k.shared.Release()
		all[i] = all[len(all)-1]
		all = all[:len(all)-1]
	}
	return all
}

// numbered returns a line that differs from all others.
func numbered(rng *rand.Rand, i int) string {
	size := rng.IntN(200)
	if i%10 == 9 {
		size = rng.IntN(9000) // more than a buffer
	}
	return fmt.Sprintf("%d:", i) + strings.Repeat(string(rune('a'+i%26)), size)
}

// Bytes that a Data has retained do not change, whatever arrives and is handled later, until they are released, in any
// order, also after the end of the connection.
func TestRetain(t *testing.T) {
	const count = 600
	onEvery(t, func(t *testing.T, k kind) {
		rng, ours := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
		var mu sync.Mutex
		var all []kept
		handled := 0
		cfg := netconn.Config{ReadBuffer: 1024, IdlePark: time.Microsecond}
		r := serve(t, k, cfg, func(c *netconn.Conn, in []byte) (n int, err error) {
			for {
				i := bytes.IndexByte(in[n:], '\n')
				if i < 0 {
					return n, nil
				}
				line := in[n : n+i]
				mu.Lock()
				if handled%3 != 2 {
					all = append(all, kept{c.Retain(), line, string(line)})
				}
				handled++
				all = releaseSome(t, ours, all, 40)
				mu.Unlock()
				n += i + 1
			}
		})
		talk := r.dial()
		for i := range count {
			line := numbered(rng, i)
			if i%2 == 0 {
				talk.Send(line + "\n")
				continue
			}
			cut := rng.IntN(len(line))
			talk.Send(line[:cut])
			talk.Send(line[cut:] + "\n")
		}
		eventually(t, "all lines to be handled", func() bool { mu.Lock(); defer mu.Unlock(); return handled == count })
		talk.HalfClose()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
		releaseSome(t, ours, all, 0)
	})
}

// Bytes that the user of a Pulled has retained do not change until they are released, also if Read copies into the
// reader's own memory between them.
func TestRetainPulled(t *testing.T) {
	const count = 600
	onPulled(t, func(t *testing.T, k kind) {
		rng := rand.New(rand.NewPCG(1, 2))
		lines := make([]string, count)
		for i := range lines {
			lines[i] = numbered(rng, i)
		}
		c, talk := pulled(t, k, netconn.Config{ReadBuffer: 1024}, "ahead\n")
		go func() {
			for _, line := range lines {
				if _, err := io.WriteString(talk.Conn, line+"\n"); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		var all []kept
		for _, want := range append([]string{"ahead"}, lines...) {
			for !bytes.ContainsRune(c.Unread(), '\n') {
				if _, err := c.Fill(); err != nil {
					t.Fatal(err)
				}
			}
			line := c.Unread()[:bytes.IndexByte(c.Unread(), '\n')]
			if string(line) != want {
				t.Fatalf("got %.40q, want %.40q", line, want)
			}
			all = append(all, kept{c.Retain(), line, want})
			c.Take(len(line) + 1)
			all = releaseSome(t, rng, all, rng.IntN(30))
		}
		c.Abort()
		c.Finish(netconn.ErrAbort)
		releaseSome(t, rng, all, 0)
	})
}

// Input that arrives while the read for OnGone is under way is not read byte by byte: that would make a handler that reads
// a body slow.
func TestOnGoneReadsWhatArrives(t *testing.T) {
	const size = 1000
	onSome(t, func(k kind) bool { return !k.latched() && k.network == "tcp" }, func(t *testing.T, k kind) {
		asked := make(chan struct{})
		body := strings.Repeat("b", size)
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			defer c.OnGone(func() {}).Stop()
			before := netconn.StatsOf(&c.Link).BytesIn
			close(asked)
			eventually(t, "the input to be read", func() bool { return netconn.StatsOf(&c.Link).BytesIn >= before+size })
			in, err := c.Fill()
			if string(in) != body || err != nil {
				t.Errorf("Fill: %d bytes, %v", len(in), err)
			}
			c.Take(len(in))
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("line\n")
		within(t, "the handler", asked)
		talk.Send(body)
		talk.Want("line\n")
		talk.Close()
		r.wantEnd()
	})
}
