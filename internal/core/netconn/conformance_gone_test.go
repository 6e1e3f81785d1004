package netconn_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Data is told that the peer has left, however it left.
func TestOnGone(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, r *rig){
		"half close": func(t *testing.T, r *rig) {
			talk := r.dial()
			talk.Send("wait\n")
			talk.Want("waiting\n")
			talk.HalfClose()
			talk.Want("gone\n") // the other direction still works
		},
		"close": func(t *testing.T, r *rig) {
			talk := r.dial()
			talk.Send("wait\n")
			talk.Want("waiting\n")
			talk.Close()
		},
		"reset": func(t *testing.T, r *rig) {
			talk := r.dial()
			talk.Send("wait\n")
			talk.Want("waiting\n")
			if r.kind.network == "unix" {
				talk.Close()
				return
			}
			talk.Reset()
		},
		"already": func(t *testing.T, r *rig) {
			talk := r.dial()
			talk.Send("late\n")
			talk.HalfClose()
		},
		"asked before": func(t *testing.T, r *rig) {
			talk := r.dial()
			for range 3 {
				talk.Send("forget\n")
				talk.Want("forget\n")
			}
			talk.Send("wait\n")
			talk.Want("waiting\n")
			talk.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				left := make(chan struct{})
				r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
					gone := make(chan struct{})
					stop := c.OnGone(func() { close(gone) }).Stop
					if line == "forget" {
						stop()
						return echo(c, line)
					}
					if line == "wait" {
						_ = echo(c, "waiting")
						_ = c.Flush()
					}
					within(t, "OnGone", gone)
					if stop() {
						t.Error("stop says that it prevented the call, but f was called")
					}
					close(left)
					return echo(c, "gone")
				}))
				leave(t, r)
				within(t, "Data to be told", left)
				r.wantEnd()
			})
		})
	}
}

// Bytes that arrive do not count as the peer's end, and looking for the end loses and reorders no byte.
func TestOnGoneNotOnData(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var fired atomic.Int64
		step := make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			c.OnGone(func() { fired.Add(1) })
			if line == "wait" {
				_ = echo(c, "waiting")
				_ = c.Flush()
				<-step
			}
			return echo(c, line)
		}))
		talk := r.dial()
		for range 20 {
			talk.Send("wait\n")
			talk.Want("waiting\n")
			talk.Send("next\nand ano")
			talk.Send("ther\n")
			step <- struct{}{}
			talk.Want("wait\nnext\nand another\n")
		}
		talk.WantSilence(millis(20))
		if n := fired.Load(); n != 0 {
			t.Errorf("OnGone fired %d times for a peer that is there", n)
		}
	})
}

// An OnGone can be stopped, also at the end of Data.
func TestOnGoneStops(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var fired atomic.Int64
		step := make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			stop := c.OnGone(func() { fired.Add(1) }).Stop
			defer stop()
			if line == "stop" {
				if !stop() {
					t.Error("stop came in time, but reports false")
				}
				if stop() {
					t.Error("a second stop reports true")
				}
				_ = echo(c, "stopped")
				_ = c.Flush()
				<-step
			}
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("forget\n")
		talk.Want("forget\n")
		talk.Send("stop\n")
		talk.Want("stopped\n")
		talk.HalfClose()
		talk.WantSilence(millis(20))
		step <- struct{}{}
		talk.Want("stop\n")
		talk.WantEOF()
		r.wantEnd()
		if n := fired.Load(); n != 0 {
			t.Errorf("OnGone fired %d times, after stop", n)
		}
	})
}

// OnGone and Fill do not disturb each other: no byte is lost, and after the body OnGone still holds.
func TestOnGoneWhileReading(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		told := make(chan struct{})
		r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
			gone := make(chan struct{})
			c.OnGone(func() { close(gone) })
			var body []byte
			for len(body) < 2000 {
				p := make([]byte, 50)
				n, err := c.Read(p)
				if err != nil {
					return err
				}
				body = append(body, p[:n]...)
			}
			for i, b := range body {
				if b != byte('a'+i%26) {
					return errors.New("bytes were lost or overtaken")
				}
			}
			_ = echo(c, "read")
			_ = c.Flush()
			within(t, "OnGone", gone)
			close(told)
			return nil
		}))
		talk := r.dial()
		body := make([]byte, 2000)
		for i := range body {
			body[i] = byte('a' + i%26)
		}
		talk.Send("body\n" + string(body[:700]))
		for i := 700; i < 2000; i += 100 {
			talk.Send(string(body[i : i+100]))
		}
		talk.Want("read\n")
		talk.Close()
		within(t, "Data to be told", told)
	})
}

// A peer counts as gone when a write has failed, even if there are unread bytes or only a deadline has passed. It also
// counts as gone after Abort.
func TestOnGoneAtAFailedWrite(t *testing.T) {
	for _, why := range []string{"deadline", "abort"} {
		t.Run(why, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				told := make(chan bool, 1)
				r := serve(t, k, netconn.Config{}, outside(func(c *netconn.Conn, line string) error {
					gone, late := make(chan struct{}), make(chan struct{})
					if line == "early" {
						c.OnGone(func() { close(gone) })
					}
					if why == "abort" {
						c.Abort()
					} else {
						_ = c.SetWriteDeadline(time.Unix(1, 0))
						_ = echo(c, "too late")
						if err := c.Flush(); !errors.Is(err, os.ErrDeadlineExceeded) {
							t.Errorf("Flush: %v", err)
						}
					}
					c.OnGone(func() { close(late) })
					within(t, "OnGone that is asked for afterwards", late)
					if line == "early" {
						within(t, "OnGone", gone)
					}
					told <- true
					return nil
				}))
				for _, when := range []string{"early", "late"} {
					r.dial().Send(when + "\nand a body that nobody reads")
					within(t, "Data to be told", told)
				}
			})
		})
	}
}

// A byte that was read in looking for the peer's end is kept, even if MaxUnread bytes are unread already.
func TestOnGoneAtMaxUnread(t *testing.T) {
	const most = 4096
	onEvery(t, func(t *testing.T, k kind) {
		full := make(chan struct{})
		r := serve(t, k, netconn.Config{ReadBuffer: most, MaxUnread: most}, func(c *netconn.Conn, _ []byte) (int, error) {
			if len(c.Unread()) < most {
				return 0, nil
			}
			if c.Latched() {
				return 0, netconn.ErrUnlatch
			}
			c.OnGone(func() { t.Error("OnGone fired for a peer that is there") })
			full <- struct{}{}
			<-full
			if len(c.Unread()) == most {
				_, _ = c.Fill() // ErrFull, or the byte
			}
			c.Take(most)
			for len(c.Unread()) < len("ABC") {
				if _, err := c.Fill(); err != nil {
					return 0, err
				}
			}
			if _, err := c.Write(c.Unread()); err != nil {
				return 0, err
			}
			return len(c.Unread()), netconn.ErrDone
		})
		talk := r.dial()
		talk.Send(strings.Repeat("x", most))
		within(t, "Data", full)
		before := r.eng.Stats().BytesIn
		talk.Send("ABC")
		if k.loop == netconn.Plain || !k.latched() {
			eventually(t, "a byte to be read", func() bool { return r.eng.Stats().BytesIn > before })
		}
		full <- struct{}{}
		talk.Want("ABC")
		talk.WantEOF()
	})
}
