package netconn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// handOver is what a protocol that hijacks its connection passes to the test.
type handOver struct {
	nc    net.Conn
	ahead string
}

// takeOver serves a protocol that gives its connection away at the line "take". inside says that it does so inside the
// latch, if there is one. during, if set, runs within Data afterwards.
func takeOver(t *testing.T, k kind, inside bool, during func(nc net.Conn)) (*rig, chan handOver) {
	t.Helper()
	taken := make(chan handOver, 1)
	r := serve(t, k, netconn.Config{}, func(c *netconn.Conn, in []byte) (int, error) {
		i := strings.IndexByte(string(in), '\n')
		if i < 0 {
			return 0, nil
		}
		if string(in[:i]) != "take" {
			return i + 1, echo(c, string(in[:i]))
		}
		if c.Latched() != (inside && k.latched()) {
			return 0, netconn.ErrUnlatch
		}
		if err := echo(c, "before"); err != nil { // pending: it must leave before anything that the new owner writes
			return 0, err
		}
		c.Take(i + 1)
		nc, ahead, err := c.Hijack()
		if err != nil {
			t.Errorf("TakeOver: %v", err)
			return 0, err
		}
		if _, _, err := c.Hijack(); err == nil {
			t.Error("a second TakeOver succeeded")
		}
		if _, err := c.Write([]byte("x")); err == nil {
			t.Error("Write after TakeOver succeeded")
		}
		if during != nil {
			during(nc)
		}
		taken <- handOver{nc, string(ahead)}
		return 0, nil
	})
	return r, taken
}

// bothWays runs test with a hijack outside the latch and, where there is one, inside it.
func bothWays(t *testing.T, test func(t *testing.T, k kind, inside bool)) {
	t.Run("outside", func(t *testing.T) { onEvery(t, func(t *testing.T, k kind) { test(t, k, false) }) })
	t.Run("inside", func(t *testing.T) { atOnce(t, isLatched, func(t *testing.T, k kind) { test(t, k, true) }) })
}

// After a hijack the connection works when Data has returned, the bytes that were read ahead come with it, the engine
// forgets it, and End gets nil.
func TestTakeOver(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		r, taken := takeOver(t, k, inside, nil)
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Send("take\nahead")
		got := within(t, "the connection", taken)
		if err := r.wantEnd(); err != nil {
			t.Errorf("End was told %v, want nil", err)
		}
		eventually(t, "the engine to forget it", func() bool { return r.eng.Stats().Open == 0 })
		server := wiretest.NewTalk(t, got.nc)
		server.Send("after\n")
		talk.Want("before\nafter\n")
		talk.Send(" and more")
		server.Want((" ahead and more")[1+len(got.ahead):])
		if !strings.HasPrefix("ahead", got.ahead) {
			t.Errorf("ahead is %q", got.ahead)
		}
		if k.split == nil && got.ahead != "ahead" {
			t.Errorf("ahead is %q, want %q", got.ahead, "ahead")
		}
		server.Close()
		talk.WantEOF()
	})
}

// Outside the latch the new owner gets the accepted connection itself, of its own type.
func TestTakeOverIsWhatWasAccepted(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, taken := takeOver(t, k, false, nil)
		r.dial().Send("take\n")
		nc := within(t, "the connection", taken).nc
		defer func() { _ = nc.Close() }()
		fits := false
		switch {
		case k.tls:
			_, fits = nc.(interface{ HandshakeContext(context.Context) error })
		case k.network == "tcp":
			_, fits = nc.(*net.TCPConn)
		case k.network == "unix":
			_, fits = nc.(*net.UnixConn)
		default:
			_, fits = nc.(*wiretest.Conn)
		}
		if !fits {
			t.Errorf("got a %T", nc)
		}
	})
}

// A hijacked connection works at once, within Data.
func TestTakeOverDuringData(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		r, taken := takeOver(t, k, inside, func(nc net.Conn) {
			_ = nc.SetDeadline(time.Now().Add(patience))
			if _, err := io.WriteString(nc, "say something\n"); err != nil {
				t.Errorf("Write within Data: %v", err)
			}
			p := make([]byte, 9)
			if _, err := io.ReadFull(nc, p); err != nil || string(p) != "something" {
				t.Errorf("Read within Data: %q, %v", p, err)
			}
			_ = nc.SetReadDeadline(time.Now().Add(millis(20)))
			if _, err := nc.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Read with a deadline: %v", err)
			}
			_ = nc.SetDeadline(time.Time{})
		})
		talk := r.dial()
		talk.Send("take\n")
		talk.Want("before\nsay something\n")
		talk.Send("something")
		server := wiretest.NewTalk(t, within(t, "the connection", taken).nc)
		talk.Send("ping")
		server.Want("ping")
		server.Send("pong")
		talk.Want("pong")
		server.Close()
		talk.WantEOF()
	})
}

// Another goroutine may already wait on the hijacked connection when Data returns.
func TestTakeOverUsedWhileDataRuns(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		echoed := make(chan error, 1)
		release := make(chan struct{})
		reading := make(chan struct{})
		r, taken := takeOver(t, k, inside, func(nc net.Conn) {
			go func() {
				close(reading)
				p := make([]byte, 4)
				for range 50 {
					if _, err := io.ReadFull(nc, p); err != nil {
						echoed <- err
						return
					}
					if _, err := nc.Write(p); err != nil {
						echoed <- err
						return
					}
				}
				echoed <- nil
			}()
			<-reading
			<-release
		})
		talk := r.dial()
		talk.Send("take\n")
		talk.Want("before\n")
		for i := range 50 {
			if i == 25 {
				close(release) // Data returns during the conversation
			}
			talk.Send("ping")
			talk.Want("ping")
		}
		if err := within(t, "the echo", echoed); err != nil {
			t.Error(err)
		}
		_ = within(t, "the connection", taken).nc.Close()
		talk.WantEOF()
	})
}

// Close within Data ends a hijacked connection, and no descriptor is left.
func TestTakeOverClosedDuringData(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		r, taken := takeOver(t, k, inside, func(nc net.Conn) { _ = nc.Close() })
		for range 5 {
			talk := r.dial()
			talk.Send("take\n")
			talk.Want("before\n")
			talk.WantGone()
			talk.Close()
			within(t, "the connection", taken)
		}
	})
}

// Shutdown neither waits for a hijacked connection nor ends it.
func TestTakeOverOutlivesTheEngine(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		r, taken := takeOver(t, k, inside, nil)
		talk := r.dial()
		talk.Send("take\n")
		server := wiretest.NewTalk(t, within(t, "the connection", taken).nc)
		r.wantEnd()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.eng.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		server.Send("still here\n")
		talk.Want("before\nstill here\n")
		talk.Send("you too")
		server.Want("you too")
	})
}

// The engine's timeouts do not affect a hijacked connection.
func TestTakeOverHasNoDeadlines(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const soon = 20 * time.Second
		taken := make(chan net.Conn, 1)
		r := serve(t, k, still(netconn.Config{}), outside(func(c *netconn.Conn, _ string) error {
			_ = c.SetReadDeadline(c.Wall().Add(soon))
			_ = c.SetWriteDeadline(c.Wall().Add(soon))
			nc, _, err := c.Hijack()
			taken <- nc
			return err
		}))
		talk := r.dial()
		talk.Send("take\n")
		server := wiretest.NewTalk(t, within(t, "the connection", taken))
		read := make(chan error, 1)
		go func() {
			p := make([]byte, 5)
			_, err := io.ReadFull(server.Conn, p)
			read <- err
		}()
		r.pass(10 * soon)
		talk.WantSilence(millis(5))
		talk.Send("hello")
		if err := within(t, "the read", read); err != nil {
			t.Errorf("the new owner's read: %v", err)
		}
		server.Send("hello")
		talk.Want("hello")
	})
}

// When another goroutine writes during a hijack, each of its writes either reaches the peer or fails; none is accepted and
// dropped.
func TestTakeOverLosesNoWrite(t *testing.T) {
	for _, inside := range []bool{false, true} {
		fits := func(k kind) bool { return !inside || k.latched() }
		onSome(t, fits, func(t *testing.T, k kind) { // in turn: its writers do not wait
			for range 8 {
				takeOverAmidWrites(t, k, inside)
			}
		})
	}
}

func takeOverAmidWrites(t *testing.T, k kind, inside bool) {
	var accepted atomic.Int64
	taken, failed := make(chan net.Conn, 1), make(chan struct{})
	r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, _ string) error {
		if c.Latched() != (inside && k.latched()) {
			return netconn.ErrUnlatch
		}
		go func() {
			defer close(failed)
			for {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				accepted.Add(1)
			}
		}()
		eventually(t, "the writer", func() bool { return accepted.Load() > 0 })
		nc, _, err := c.Hijack()
		taken <- nc
		return err
	}))
	talk := r.dial()
	talk.Send("take\n")
	got := make(chan int, 1)
	go func() {
		all, _ := io.ReadAll(talk.Conn)
		got <- len(all)
	}()
	nc := within(t, "the connection", taken)
	within(t, "the writer to fail", failed)
	_ = nc.Close()
	if n := within(t, "the peer", got); int64(n) != accepted.Load() {
		t.Fatalf("%d bytes were accepted, %d came", accepted.Load(), n)
	}
}

// Abort and Quit do not affect a connection that was hijacked.
func TestAbortAfterTakeOver(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		links := make(chan *netconn.Link, 1)
		taken := make(chan net.Conn, 1)
		r := serve(t, k, netconn.Config{}, func(c *netconn.Conn, in []byte) (int, error) {
			if c.Latched() != (inside && k.latched()) {
				return 0, netconn.ErrUnlatch
			}
			c.Take(len(c.Unread()))
			nc, _, err := c.Hijack()
			if err != nil {
				t.Errorf("Hijack: %v", err)
				return 0, err
			}
			links <- &c.Link
			taken <- nc
			return 0, nil
		})
		talk := r.dial()
		talk.Send("x")
		l, nc := within(t, "the link", links), within(t, "the connection", taken)
		if err := r.wantEnd(); err != nil {
			t.Errorf("End was told %v", err)
		}
		l.Quit()
		l.Abort()
		time.Sleep(millis(20)) // where Abort closes, it needs a goroutine
		if _, err := io.WriteString(nc, "still here\n"); err != nil {
			t.Error(err)
		}
		talk.Want("still here\n")
		_ = nc.Close()
		talk.WantGone()
	})
}
