package h2conn_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// window makes the peer set its initial window, which also applies to existing streams.
func (r *rig) window(n uint32) {
	r.t.Helper()
	_ = r.Framer.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: n})
	r.Want("SETTINGS ack")
}

// Bytes that fit the windows are sent at once, and Send does not wait. The rest waits for the windows of the
// stream and of the connection, and is sent as far as both allow.
func TestSend(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(10)
		s := r.open(1, true)
		if err := errors.Join(s.respond(false), s.send([]byte("0123456"), false)); err != nil {
			t.Fatal(err)
		}
		r.Want("HEADERS 1 200", `DATA 1 "0123456"`)
		waits := s.sends([]byte("789abcd"), true)
		r.Want(`DATA 1 "789"`)
		r.WantIdle()
		_ = r.Framer.WriteWindowUpdate(1, 3)
		r.Want(`DATA 1 "abc"`)
		r.WantIdle()
		if len(waits) > 0 {
			t.Error("Send has not waited")
		}
		_ = r.Framer.WriteWindowUpdate(1, 1)
		r.Want(`DATA 1 "d" END`)
		if err := wiretest.Within(t, "Send", waits); err != nil {
			t.Error(err)
		}
		s.leave()
		r.WantIdle()
	})
}

// The connection's window limits all its streams together.
func TestSendBeyondTheConnectionsWindow(t *testing.T) {
	const window, size = 65_535, 100_000
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(1 << 20)
		a, b := r.open(1, true), r.open(3, true)
		body := bytes.Repeat([]byte("0123456789"), size/10)
		_ = a.respond(false)
		_ = b.respond(false)
		r.Want("HEADERS 1 200", "HEADERS 3 200")
		sentA := a.sends(body, true)
		got := map[uint32][]byte{}
		read := func(n int) {
			t.Helper()
			for n > 0 {
				f, err := r.Framer.ReadFrame()
				if err != nil {
					t.Fatal(err)
				}
				d, ok := f.(*xhttp2.DataFrame)
				if !ok {
					t.Fatalf("got %v", f)
				}
				got[d.StreamID] = append(got[d.StreamID], d.Data()...)
				n -= len(d.Data())
			}
		}
		read(window)
		sentB := b.sends(body, true)
		r.WantIdle()
		_ = r.Framer.WriteWindowUpdate(0, size/2)
		read(size / 2)
		r.WantIdle()
		if turns := len(got[1]) - window; turns <= 0 || len(got[3]) <= 0 {
			t.Errorf("%d and %d bytes: one of two had no turn", turns, len(got[3]))
		}
		if len(sentA)+len(sentB) > 0 {
			t.Error("Send has not waited")
		}
		_ = r.Framer.WriteWindowUpdate(0, 2*size)
		read(2*size - window - size/2)
		if err := errors.Join(wiretest.Within(t, "Send", sentA), wiretest.Within(t, "Send", sentB)); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got[1], body) || !bytes.Equal(got[3], body) {
			t.Error("other bytes arrived than were sent")
		}
		r.WantIdle()
	})
}

// Output that fills the buffer to the last byte, or almost, is sent without delay.
func TestSendFillsExactly(t *testing.T) {
	const most = 4 << 10
	for less := 9; less < 30; less++ { // before it leaves an acknowledgement of 9 bytes, and its frame has a header of 9
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		r := begin(t, near, far, settings{engine: netconn.Config{WriteBuffer: most}})
		r.HelloServer()
		r.window(0)
		a, b := r.open(1, true), r.open(3, true)
		_, _ = a.respond(false), b.respond(false)
		r.Want("HEADERS 1 200", "HEADERS 3 200")
		waitA, waitB := a.sends(make([]byte, most-less), true), b.sends([]byte("b"), true)
		r.window(1 << 20)
		r.Want(fmt.Sprintf("DATA 1 %d bytes END", most-less), `DATA 3 "b" END`)
		if err := errors.Join(wiretest.Within(t, "Send", waitA), wiretest.Within(t, "Send", waitB)); err != nil {
			t.Error(err)
		}
		a.leave()
		b.leave()
	}
}

// After a failed Send the bytes belong to the caller again.
func TestSendKeepsNothing(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(3)
		s := r.open(1, true)
		_ = s.respond(false)
		p := make([]byte, 1000)
		first := weak.Make(&p[0])
		waits := s.sends(p, true)
		_ = s.SetWriteDeadline(past)
		if err := wiretest.Within(t, "Send", waits); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		p = nil
		wiretest.Eventually(t, "the bytes to be given up", func() bool { runtime.GC(); return first.Value() == nil })
		s.leave()
	})
}

// A Send that waits for a window fails with the error of its stream or connection. So do all later ones,
// and nothing more is sent.
func TestSendEnds(t *testing.T) {
	mine := errors.New("mine")
	for name, tc := range map[string]struct {
		end  func(r *rig, s *stream)
		is   error
		want string // what the peer gets when the stream is left; "" if there is no peer
		late bool   // a second later
	}{
		"deadline": {
			end: func(r *rig, s *stream) { _ = s.SetWriteDeadline(past) },
			is:  netconn.ErrSlow, want: "RST_STREAM 1 CANCEL",
		},
		"deadline to come": {
			end: func(r *rig, s *stream) { _ = s.SetWriteDeadline(s.conn.Link().Wall().Add(time.Second)) },
			is:  netconn.ErrSlow, want: "RST_STREAM 1 CANCEL", late: true,
		},
		"interrupt":   {end: func(r *rig, s *stream) { s.locked(func() { s.InterruptLocked(mine) }) }, is: mine, want: "RST_STREAM 1 CANCEL"},
		"hush":        {end: func(r *rig, s *stream) { s.locked(func() { s.FailWritesLocked(mine) }) }, is: mine, want: "RST_STREAM 1 CANCEL"},
		"reset by us": {end: func(r *rig, s *stream) { s.locked(func() { s.ResetLocked(http2.ErrCodeEnhanceYourCalm) }) }, is: h2conn.ErrClosed, want: "RST_STREAM 1 ENHANCE_YOUR_CALM"},
		"reset for":   {end: func(r *rig, s *stream) { s.locked(func() { s.ResetForLocked(http2.ErrCodeCancel, mine) }) }, is: mine, want: "RST_STREAM 1 CANCEL"},
		"reset":       {end: func(r *rig, s *stream) { _ = r.Framer.WriteRSTStream(1, xhttp2.ErrCodeCancel) }, is: errAny, want: "PING 01 ack"},
		"no window": {end: func(r *rig, s *stream) {
			_ = r.Framer.WriteWindowUpdate(1, 0)
		}, is: errAny, want: "RST_STREAM 1 PROTOCOL_ERROR"},
		"broken": {end: func(r *rig, s *stream) { _ = r.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) }, is: errAny},
		"abort":  {end: func(r *rig, s *stream) { s.conn.Link().Abort() }, is: errAny},
		"closed": {end: func(r *rig, s *stream) { _ = r.Talk.Conn.Close() }, is: errAny},
		"half closed": { // windows open no more
			end: func(r *rig, s *stream) { r.HalfClose() },
			is:  io.ErrUnexpectedEOF, want: "RST_STREAM 1 CANCEL",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onWays(t, settings{}, func(t *testing.T, r *rig) {
				r.window(3)
				s := r.open(1, false)
				_ = s.respond(false)
				waits := s.sends([]byte("abcdef"), false)
				r.Want("HEADERS 1 200", `DATA 1 "abc"`)
				tc.end(r, s)
				var err error
				if tc.late {
					err = until(r, "Send", waits)
				} else {
					err = wiretest.Within(t, "Send", waits)
				}
				for range 2 {
					if err == nil || tc.is != errAny && err != tc.is {
						t.Errorf("got %v, want %v", err, tc.is)
					}
					if name != "half closed" {
						_ = r.Framer.WriteWindowUpdate(1, 100) // nothing is left that could use it
					}
					err = s.send([]byte("xyz"), true)
				}
				if err := s.Flush(); strings.HasPrefix(name, "reset") && err == nil {
					t.Errorf("Flush returned no error")
				}
				s.leave()
				if tc.want == "PING 01 ack" {
					_ = r.Framer.WritePing(false, [8]byte{7: 1})
				}
				if tc.want != "" {
					r.Want(tc.want)
				}
			})
		})
	}
}

// After the peer has closed its side, Send still sends what the windows allow, but does not
// wait for more.
func TestSendAfterTheEndOfInput(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{Buffer: 2000})
	r := begin(t, near, far, settings{engine: netconn.Config{WriteBuffer: 4 << 10}})
	r.HelloServer()
	s, whole := r.open(1, true), r.open(3, true)
	_, _ = s.respond(false), whole.respond(false)
	rest := whole.sends(make([]byte, 20_000), true)
	waits := s.sends(make([]byte, 100_000), true)
	r.HalfClose()
	ended := func() (yes bool) { s.locked(func() { yes = r.EndedLocked() }); return yes }
	wiretest.Eventually(t, "the end of input", ended)
	for n := 0; n < 65_535; {
		f, err := r.Framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := f.(*xhttp2.DataFrame); ok {
			n += len(d.Data())
		}
	}
	if err := wiretest.Within(t, "the one whose windows suffice", rest); err != nil {
		t.Error(err)
	}
	if err := wiretest.Within(t, "the other", waits); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
	s.leave()
	whole.leave()
	r.Want("RST_STREAM 1 CANCEL")
	r.WantEOF()
}

// A write deadline that has passed also stops a Send that need not wait. Removing or moving the
// deadline does not end a Send that waits.
func TestSendAfterDeadline(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(3)
		s := r.open(1, true)
		_ = s.SetWriteDeadline(past)
		if err := s.send([]byte("a"), false); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		if err := s.respond(false); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		_ = s.SetWriteDeadline(s.conn.Link().Wall().Add(time.Second))
		_ = s.respond(false)
		waits := s.sends([]byte("abcdef"), true)
		r.Want("HEADERS 1 200", `DATA 1 "abc"`)
		_ = s.SetWriteDeadline(time.Time{})
		r.passes(2 * time.Second)
		if len(waits) > 0 {
			t.Error("the removed deadline ended Send")
		}
		_ = r.Framer.WriteWindowUpdate(1, 3)
		r.Want(`DATA 1 "def" END`)
		if err := wiretest.Within(t, "Send", waits); err != nil {
			t.Error(err)
		}
	})
}

// Nothing can be sent after the end of our message, whatever the peer still sends.
func TestSendBehindTheEnd(t *testing.T) {
	for name, end := range map[string]func(s *stream) error{
		"head":  func(s *stream) error { return s.respond(true) },
		"Send":  func(s *stream) error { return errors.Join(s.respond(false), s.send(nil, true)) },
		"Leave": func(s *stream) error { s.locked(func() { s.FinishLocked(true) }); return nil },
	} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", whole), func(t *testing.T) {
				onWays(t, settings{}, func(t *testing.T, r *rig) {
					s := r.open(1, whole)
					if err := end(s); err != nil {
						t.Fatal(err)
					}
					for _, err := range []error{s.send([]byte("x"), false), s.send(nil, true), s.respond(true)} {
						if err != h2conn.ErrClosed {
							t.Errorf("got %v", err)
						}
					}
				})
			})
		}
	}
}

// The end of a message is sent even if the stream has no window, however much other output waits.
func TestEndNeedsNoWindow(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(3)
		s := r.open(1, true)
		_ = s.respond(false)
		_ = s.send([]byte("abc"), false)
		r.Want("HEADERS 1 200", `DATA 1 "abc"`)
		other := r.open(3, true)
		r.WantIdle()
		ended := make(chan error, 1)
		go s.locked(func() {
			_, out, err := other.OutLocked()
			if err != nil {
				t.Error(err)
			}
			other.SetOutLocked(append(out, framed(make([]byte, h2conn.DirectLimit))...), false)
			ended <- s.SendLocked(nil, true)
		})
		if err := wiretest.Within(t, "the end to be taken", ended); err != nil {
			t.Error(err)
		}
		for {
			got, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if got == `DATA 1 "" END` {
				break
			}
		}
	})
}

// framed returns a frame of unknown type with the payload p.
func framed(p []byte) []byte {
	return append([]byte{byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p)), 0x77, 0, 0, 0, 0, 0}, p...)
}

// The peer gets the frames that fit how the owner ends a stream.
func TestLeave(t *testing.T) {
	leave := func(s *stream, finish bool) {
		s.conn.Lock()
		free := s.FinishLocked(finish)
		s.conn.Unlock()
		if free {
			s.conn.Link().EndWork()
		}
	}
	for name, tc := range map[string]struct {
		whole bool // the request has ended
		do    func(r *rig, s *stream)
		want  []string
	}{
		"unanswered":      {true, func(r *rig, s *stream) { s.leave() }, []string{"RST_STREAM 1 CANCEL"}},
		"cut":             {true, func(r *rig, s *stream) { _ = s.respond(false); s.leave() }, []string{"HEADERS 1 200", "RST_STREAM 1 CANCEL"}},
		"responded":       {true, func(r *rig, s *stream) { _ = s.respond(true); s.leave() }, []string{"HEADERS 1 200 END"}},
		"finished":        {true, func(r *rig, s *stream) { _ = s.respond(false); leave(s, true) }, []string{"HEADERS 1 200", `DATA 1 "" END`}},
		"left":            {true, func(r *rig, s *stream) { _ = s.respond(true); leave(s, false) }, []string{"HEADERS 1 200 END"}},
		"left unfinished": {true, func(r *rig, s *stream) { _ = s.respond(false); leave(s, false) }, []string{"HEADERS 1 200", "RST_STREAM 1 CANCEL"}},
		"not read":        {false, func(r *rig, s *stream) { _ = s.respond(false); leave(s, true) }, []string{"HEADERS 1 200", `DATA 1 "" END`, "RST_STREAM 1 NO_ERROR"}},
		"reset before":    {false, func(r *rig, s *stream) { s.locked(func() { s.ResetLocked(http2.ErrCodeInternal) }); leave(s, true) }, []string{"RST_STREAM 1 INTERNAL_ERROR"}},
		"reset by its peer": {false, func(r *rig, s *stream) {
			_ = r.Framer.WriteRSTStream(1, xhttp2.ErrCodeCancel)
			r.WantIdle()
			leave(s, true)
		}, nil},
		"twice": {true, func(r *rig, s *stream) { s.leave(); s.leave(); s.locked(func() { s.ResetLocked(http2.ErrCodeCancel) }) }, []string{"RST_STREAM 1 CANCEL"}},
	} {
		t.Run(name, func(t *testing.T) {
			onWays(t, settings{}, func(t *testing.T, r *rig) {
				s := r.open(1, tc.whole)
				s.locked(func() {
					if s.OverLocked() || s.WireLocked() == nil || r.ErrLocked() != nil {
						t.Error("a stream that has begun is over, or belongs to another request")
					}
				})
				tc.do(r, s)
				r.Want(tc.want...)
				r.WantIdle()
				s.locked(func() {
					if !s.OverLocked() || s.WireLocked() != nil {
						t.Error("a stream that was left is not over")
					}
				})
				if err := s.send([]byte("x"), true); err == nil {
					t.Error("the stream can still be written to")
				}
				if _, err := s.Fill(); tc.whole && err != io.EOF || !tc.whole && err == nil {
					t.Errorf("it can be read from: %v", err)
				}
			})
		})
	}
}

// The output of many streams is sent in the order in which it was produced, also if it exceeds the
// connection's buffer.
func TestManyResponses(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		var want []string
		r.quiet.Store(true)
		for i := range uint32(100) {
			s := r.open(1+2*i, true)
			body := bytes.Repeat([]byte("x"), 300)
			_ = s.respond(false)
			go func() { _ = s.send(body, true) }()
			if i%50 < 40 { // the bytes beyond the buffer come when there is room
				wiretest.Eventually(t, "it to be said", func() bool {
					done := false
					s.locked(func() { done = s.WireLocked().State() == http2.StateClosed })
					return done || s.Writes()
				})
			}
			want = append(want, fmt.Sprint("HEADERS ", 1+2*i, " 200"))
		}
		r.quiet.Store(false)
		r.Draw()
		for data := 0; data < 100 || len(want) > 0; {
			got, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if len(want) > 0 && got == want[0] {
				want = want[1:]
			} else if data++; got[:4] != "DATA" {
				t.Fatalf("got %s, want %s", got, want[0])
			}
		}
		r.WantIdle()
	})
}
