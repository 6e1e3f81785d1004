package h2conn_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// The function is called once when the peer resets the stream, closes its side or the connection, or at once
// if that has happened. It is not called after stop, after another OnGone, or after the end of the stream.
func TestOnGone(t *testing.T) {
	for name, gone := range map[string]func(r *rig){
		"reset":       func(r *rig) { _ = r.Framer.WriteRSTStream(1, xhttp2.ErrCodeCancel) },
		"half closed": func(r *rig) { r.HalfClose() },
		"closed":      func(r *rig) { _ = r.Talk.Conn.Close() },
		"broken":      func(r *rig) { _ = r.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) },
		"abort":       func(r *rig) { r.Link().Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			onWays(t, settings{}, func(t *testing.T, r *rig) {
				s, stopped, replaced, left := r.open(1, false), make(chan int, 9), make(chan int, 9), make(chan int, 9)
				stop := s.OnGone(func() { stopped <- 1 }).Stop
				if !stop() || stop() {
					t.Error("stop did not return true exactly once")
				}
				s.OnGone(func() { replaced <- 1 })
				told := make(chan int, 9)
				stop = s.OnGone(func() { told <- 1 }).Stop
				other := r.open(3, false)
				takeBack := other.OnGone(func() { left <- 1 }).Stop
				other.leave()
				if takeBack() {
					t.Error("a hook was removed twice, with its stream and again")
				}
				gone(r)
				wiretest.Within(t, "the hook", told)
				if stop() {
					t.Error("stop came too late, but returned true")
				}
				late := s.OnGone(func() { told <- 2 }).Stop
				if n := wiretest.Within(t, "a hook that comes late", told); n != 2 || late() {
					t.Errorf("got %d", n)
				}
				s.leave()
				if len(stopped)+len(replaced)+len(left)+len(told) > 0 {
					t.Errorf("called: stopped %d, replaced %d, left %d, again %d", len(stopped), len(replaced), len(left), len(told))
				}
			})
		})
	}
}

// A stop that is called after the stream has ended does not affect the next stream with the same struct.
func TestOnGoneOfAnother(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		stop := s.OnGone(func() { t.Error("the first was called") }).Stop
		s.leave()
		r.Want("RST_STREAM 1 CANCEL")
		second := r.open(3, false)
		s.locked(func() {
			w := second.WireLocked()
			r.BeginLocked(&s.Stream, w)
		})
		told := make(chan int, 1)
		s.OnGone(func() { told <- 1 })
		if stop() {
			t.Error("the first hook was removed from the second stream")
		}
		_ = r.Framer.WriteRSTStream(3, xhttp2.ErrCodeCancel)
		wiretest.Within(t, "the second hook", told)
		s.leave()
	})
}

// After the peer has closed its side, its requests can still get responses. The connection ends in good
// order with the last response.
func TestEndOfInput(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		whole, cut, quick := r.open(1, true), r.open(3, false), r.open(5, true)
		r.data(3, "half", false)
		r.WantIdle()
		r.HalfClose()
		wiretest.Eventually(t, "the end of input", func() (ended bool) {
			cut.locked(func() { ended = r.EndedLocked() })
			return ended
		})
		if got := cut.fill(); got != (filled{"half", nil}) {
			t.Errorf("got %v", got)
		}
		if got := cut.fill(); got.err != io.ErrUnexpectedEOF {
			t.Errorf("got %v", got)
		}
		if _, err := whole.Fill(); err != io.EOF {
			t.Errorf("a whole message counts as cut: %v", err)
		}
		for id, s := range map[string]*stream{"1": whole, "3": cut, "5": quick} {
			if err := s.respond(true); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			r.Want("HEADERS " + id + " 200 END")
			if len(r.over) > 0 {
				t.Error("the connection ended before the last stream")
			}
		}
		quick.leave()
		whole.leave()
		cut.leave()
		r.Want("RST_STREAM 3 NO_ERROR")
		r.WantEOF()
		if err := wiretest.Within(t, "Over", r.over); err != h2conn.ErrOver {
			t.Errorf("got %v", err)
		}
	})
}

// A connection without streams ends when the peer closes its side.
func TestEndOfInputOfTheIdle(t *testing.T) {
	for _, used := range []bool{false, true} {
		onWays(t, settings{}, func(t *testing.T, r *rig) {
			if used {
				s := r.open(1, true)
				_ = s.respond(true)
				r.Want("HEADERS 1 200 END")
				s.leave()
			}
			r.HalfClose()
			r.WantEOF()
			wiretest.Within(t, "Over", r.over)
		})
	}
}

// If the peer breaks a rule of the connection, it is sent GOAWAY, and all streams fail with the error.
func TestBroken(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		_ = r.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil)
		r.Want("GOAWAY 1 FRAME_SIZE_ERROR")
		r.WantEOF()
		over := wiretest.Within(t, "Over", r.over)
		var e *http2.Error
		if _, err := s.Fill(); err != over {
			t.Errorf("got %v, want %v", err, over)
		}
		if err := s.send([]byte("x"), true); err != over {
			t.Errorf("got %v, want %v", err, over)
		}
		if !errors.As(over, &e) || e.Code != http2.ErrCodeFrameSize {
			t.Errorf("got %v", over)
		}
		s.leave()
	})
}

// The peer is sent GOAWAY twice, streams are completed, and the connection ends with the last one.
func TestDrain(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		ended := make(chan error, 1)
		go func() { ended <- r.eng.Shutdown(context.Background()) }()
		r.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
		late := r.open(3, true)
		_ = r.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
		r.Want("GOAWAY 3 NO_ERROR")
		r.data(1, "more", true)
		r.request(5, true) // is not taken
		r.WantIdle()
		r.Drain() // a second Drain sends nothing
		if got := s.fill(); got != (filled{"more", nil}) {
			t.Errorf("got %v", got)
		}
		_, _ = s.respond(true), late.respond(true)
		r.Want("HEADERS 1 200 END", "HEADERS 3 200 END")
		late.leave()
		r.WantIdle()
		if len(ended) > 0 {
			t.Error("Shutdown has not waited")
		}
		s.leave()
		r.WantEOF()
		_ = r.Talk.Conn.Close()
		if err := wiretest.Within(t, "Shutdown", ended); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "Over", r.over); err != h2conn.ErrOver {
			t.Errorf("got %v", err)
		}
		if len(r.begun) > 0 {
			t.Error("a stream after GOAWAY was accepted")
		}
		r.Drain() // when it is over
	})
}

// A connection that takes no more streams ends as soon as the last one is released.
func TestDrained(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s, second := r.open(1, true), r.open(3, true)
		r.Drain()
		r.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
		_ = r.Framer.WritePing(true, [8]byte{0: 0x80, 7: 2})
		r.Want("GOAWAY 3 NO_ERROR")
		_, _ = s.respond(true), second.respond(true)
		r.Want("HEADERS 1 200 END", "HEADERS 3 200 END")
		s.leave()
		r.WantIdle()
		second.leave()
		r.WantEOF() // no time has passed
		if err := wiretest.Within(t, "Over", r.over); err != h2conn.ErrOver {
			t.Errorf("got %v", err)
		}
	})
}

// A peer that does not acknowledge the PING is sent the second GOAWAY after a second.
func TestDrainOfTheSilent(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, true)
		r.Drain()
		r.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
		r.passes(900 * time.Millisecond)
		said := make(chan string, 1)
		go func() {
			for {
				got, err := r.Next()
				if err != nil || got != "PING ee ack" {
					said <- got
					return
				}
			}
		}()
		wiretest.Eventually(t, "the second GOAWAY", func() bool { r.clock.Advance(10 * time.Millisecond); return len(said) > 0 })
		if got := <-said; got != "GOAWAY 1 NO_ERROR" {
			t.Errorf("got %s", got)
		}
		_ = s.respond(true)
		r.Want("HEADERS 1 200 END")
		s.leave()
		wiretest.Eventually(t, "the connection to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
		r.WantEOF()
	})
}

// If there are no streams, the connection ends with the second GOAWAY, although nothing more arrives.
func TestDrainOfTheSilentIdle(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.Drain()
		r.Want("GOAWAY 2147483647 NO_ERROR", "PING 02")
		wiretest.Eventually(t, "the connection to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
		r.Want("GOAWAY 0 NO_ERROR")
		r.WantEOF()
	})
}

// A connection is not idle while it has streams, and is some time after the last one. PINGs do not change that.
func TestIdle(t *testing.T) {
	onWays(t, settings{engine: netconn.Config{IdleTimeout: 10 * time.Second}}, func(t *testing.T, r *rig) {
		s := r.open(1, true)
		r.passes(30 * time.Second)
		_ = s.respond(true)
		r.Want("HEADERS 1 200 END")
		s.leave()
		r.passes(8 * time.Second)
		s = r.open(3, true)
		_ = s.respond(true)
		r.Want("HEADERS 3 200 END")
		s.leave()
		r.passes(9 * time.Second) // with a PING at each step
		if len(r.over) > 0 {
			t.Error("the connection is idle too early")
		}
		wiretest.Eventually(t, "it to be idle", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
		r.Want("GOAWAY 3 NO_ERROR")
		if err := wiretest.Within(t, "Over", r.over); err != netconn.ErrIdle {
			t.Errorf("got %v", err)
		}
	})
}

// A connection that receives only PINGs is idle.
func TestIdleWithPings(t *testing.T) {
	onWays(t, settings{engine: netconn.Config{IdleTimeout: 10 * time.Second}}, func(t *testing.T, r *rig) {
		s := r.open(1, true)
		_ = s.respond(true)
		r.Want("HEADERS 1 200 END")
		s.leave()
		wiretest.Eventually(t, "it to be idle", func() bool {
			r.clock.Advance(50 * time.Millisecond)
			_ = r.Framer.WritePing(false, [8]byte{})
			_, _ = r.Next()
			return len(r.over) > 0
		})
		if err := <-r.over; err != netconn.ErrIdle {
			t.Errorf("got %v", err)
		}
	})
}

// A connection on which we have opened a stream is not idle, even if the peer sends nothing.
func TestOpened(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			near, far := w.conns(t)
			r := rigOf(t, far, &settings{engine: netconn.Config{IdleTimeout: 10 * time.Second}})
			began := make(chan int)
			err := r.eng.Run(near, nil, func(link *netconn.Conn) (netconn.Protocol, error) {
				r.Init(link, http2.NewClient(&http2.Config{}, link.Moment()), r.owner, &h2conn.Policy{})
				close(began)
				return r.owner, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			<-began
			r.Draw()
			if _, err := io.ReadFull(far, make([]byte, len(http2.Preface))); err != nil {
				t.Fatal(err)
			}
			_ = r.Framer.WriteSettings()
			_ = r.Framer.WriteSettingsAck()
			r.Want("SETTINGS", "SETTINGS ack")
			r.WantIdle()
			s := &stream{t: t, conn: r.owner}
			s.locked(func() {
				w, err := r.WireLocked().Open(nil)
				if err != nil {
					t.Error(err)
				}
				r.BeginLocked(&s.Stream, w)
				wire, out, _ := s.OutLocked()
				s.SetOutLocked(wire.AppendHeaders(out, w, []http2.Field{{Name: ":method", Value: "GET"}}, true), true)
				r.NoteStreamsLocked()
			})
			r.Want("HEADERS 1 :method=GET END")
			r.clock.Advance(30 * time.Second)
			r.WantIdle()
			s.leave()
			r.Want("RST_STREAM 1 CANCEL")
		})
	}
}

// A stream that waits too long for a window is reset, and its Send fails. The connection goes on.
func TestStalled(t *testing.T) {
	onWays(t, settings{wire: http2.Config{StallTimeout: int64(10 * time.Second)}}, func(t *testing.T, r *rig) {
		r.window(3)
		s := r.open(1, true)
		_ = s.respond(false)
		told := make(chan int, 1)
		s.OnGone(func() { told <- 1 })
		waits := s.sends([]byte("abcdef"), true)
		r.Want("HEADERS 1 200", `DATA 1 "abc"`)
		r.passes(9 * time.Second)
		if len(waits) > 0 {
			t.Error("the stream was reset too early")
		}
		wiretest.Eventually(t, "Send to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(waits) > 0 })
		if err := <-waits; err == nil {
			t.Error("no error")
		}
		r.Want("RST_STREAM 1 CANCEL")
		wiretest.Within(t, "the hook", told)
		s.leave()
		r.WantIdle()
	})
}

// A stream whose owner allows it waits for a window as long as its deadline says, the others beside it do
// not.
func TestAllowedToStall(t *testing.T) {
	onWays(t, settings{wire: http2.Config{StallTimeout: int64(10 * time.Second)}}, func(t *testing.T, r *rig) {
		r.window(3)
		patient, other := r.open(1, true), r.open(3, true)
		patient.AllowStall()
		_, _ = patient.respond(false), other.respond(false)
		waits := patient.sends([]byte("abcdef"), true)
		r.Want("HEADERS 1 200", "HEADERS 3 200", `DATA 1 "abc"`)
		gives := other.sends([]byte("uvwxyz"), true)
		r.Want(`DATA 3 "uvw"`)
		wiretest.Eventually(t, "the other Send to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(gives) > 0 })
		r.Want("RST_STREAM 3 CANCEL")
		r.passes(time.Minute)
		if len(waits) > 0 {
			t.Errorf("the stream was reset: %v", <-waits)
		}
		_ = r.Framer.WriteWindowUpdate(1, 3)
		r.Want(`DATA 1 "def" END`)
		if err := wiretest.Within(t, "Send", waits); err != nil {
			t.Error(err)
		}
		patient.leave()
		other.leave()
	})
}

// A stream whose Send was ended by FailWritesLocked no longer waits for a window. Its peer may go on sending for
// longer than StallTimeout.
func TestFailedWritesAreNotStalled(t *testing.T) {
	onWays(t, settings{wire: http2.Config{StallTimeout: int64(10 * time.Second)}}, func(t *testing.T, r *rig) {
		r.window(3)
		s := r.open(1, false)
		_ = s.respond(false)
		waits := s.sends([]byte("abcdef"), true)
		r.Want("HEADERS 1 200", `DATA 1 "abc"`)
		s.locked(func() { s.FailWritesLocked(h2conn.ErrClosed) })
		if err := wiretest.Within(t, "Send", waits); err != h2conn.ErrClosed {
			t.Errorf("Send returned %v", err)
		}
		got := s.fills()
		r.passes(15 * time.Second)
		_ = r.Framer.WriteData(1, true, []byte("late"))
		if f := wiretest.Within(t, "Fill", got); f.p != "late" || f.err != nil {
			t.Errorf("got %q, %v", f.p, f.err)
		}
		s.leave()
		r.Want("RST_STREAM 1 CANCEL")
	})
}

// A peer that never acknowledges our SETTINGS is sent GOAWAY, whether there are streams or not.
func TestSettingsTimeout(t *testing.T) {
	for _, streams := range []uint32{0, 1} {
		near, far := ways[0].conns(t)
		r := begin(t, near, far, settings{})
		_, _ = io.WriteString(far, xhttp2.ClientPreface)
		_ = r.Framer.WriteSettings()
		r.Want("SETTINGS", "SETTINGS ack")
		var waits <-chan filled
		if streams > 0 {
			s := r.open(1, false)
			waits = s.fills()
			defer s.leave()
		}
		r.WantIdle()
		r.clock.Advance(9 * time.Second)
		r.WantIdle()
		wiretest.Eventually(t, "the connection to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
		if err := <-r.over; streams > 0 && wiretest.Within(t, "Fill", waits).err != err {
			t.Errorf("Fill returned another error than %v", err)
		}
		r.Want(fmt.Sprintf("GOAWAY %d SETTINGS_TIMEOUT", streams))
	}
}

// A peer that never acknowledges our SETTINGS and reads nothing is cut, too: the connection does not wait to send the GOAWAY.
func TestSettingsTimeoutOfTheDeaf(t *testing.T) {
	near, far := ways[1].conns(t)
	r := begin(t, near, far, settings{})
	_, _ = io.WriteString(far, xhttp2.ClientPreface)
	_ = r.Framer.WriteSettings()
	r.Want("SETTINGS", "SETTINGS ack")
	s := r.open(1, true)
	r.WantIdle()
	s.says(16 << 20) // more than the system buffers
	r.Draw()
	r.clock.Advance(11 * time.Second)
	// Another goroutine may be looking at the streams.
	wiretest.Eventually(t, "the connection to end", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
	s.leave()
}

// upgrader becomes an owner whose connection begins with a stream.
type upgrader struct {
	*rig
	policy h2conn.Policy
}

func (u *upgrader) Data(link *netconn.Conn, in []byte) (int, error) {
	wire := http2.NewServer(&http2.Config{}, link.Moment())
	st, err := wire.Upgrade("AAMAAABk")
	if err != nil {
		return 0, err
	}
	u.Init(link, wire, u.owner, &u.policy)
	u.owner.Lock()
	u.owner.HeadLocked(&http2.Event{Kind: http2.EventHeaders, Stream: st, Head: &http2.Head{Path: "/1"}, EndStream: true})
	u.owner.Unlock()
	link.Become(u.owner)
	return len(in), nil
}

func (u *upgrader) End(*netconn.Conn, error) {}

// A connection that begins with a stream is not idle from the first byte of the preface on.
func TestBeginsWithAStream(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			near, far := w.conns(t)
			r := rigOf(t, far, &settings{engine: netconn.Config{IdleTimeout: time.Second}})
			err := r.eng.Run(near, []byte("upgrade"), func(*netconn.Conn) (netconn.Protocol, error) { return &upgrader{rig: r}, nil })
			if err != nil {
				t.Fatal(err)
			}
			s := wiretest.Within(t, "the stream", r.begun)
			_, _ = io.WriteString(far, xhttp2.ClientPreface)
			r.Want("SETTINGS")
			if r.ready.Load() == 0 {
				t.Error("Ready was not called")
			}
			_ = r.Framer.WriteSettings()
			_ = r.Framer.WriteSettingsAck()
			r.Want("SETTINGS ack")
			r.passes(5 * time.Second) // it is not idle
			_ = s.respond(true)
			r.Want("HEADERS 1 200 END")
			s.leave()
			wiretest.Eventually(t, "it to be idle", func() bool { r.clock.Advance(10 * time.Millisecond); return len(r.over) > 0 })
		})
	}
}
