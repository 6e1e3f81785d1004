package h2conn_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// told checks the calls of OutputReadyLocked since the last check.
func (r *rig) told(what string, want ...bool) {
	r.t.Helper()
	r.Lock()
	defer r.Unlock()
	if !slices.Equal(r.owner.said, want) {
		r.t.Errorf("%s: OutputReadyLocked got %v, want %v", what, r.owner.said, want)
	}
	r.owner.said = nil
}

// The owner is told of all output, and whether it is the last of its stream, but not of output that Data sends anyway, nor
// of output after the end of the connection.
func TestUnsaid(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.window(3)
		r.quiet.Store(true)
		s, second := r.open(1, true), r.open(3, false)
		_ = s.respond(false)
		r.told("a head", false)
		_ = s.send([]byte("ab"), false)
		r.told("a part of a body", false)
		_ = s.send([]byte("c"), true)
		r.told("the end of a body", true)
		s.leave()
		r.told("nothing more of it")
		_ = second.respond(false)
		waits := second.sends([]byte("abcd"), true)
		r.told("what waits for a window", false, false)
		second.locked(func() { second.ResetLocked(http2.ErrCodeCancel) })
		r.told("a reset", true)
		if wiretest.Within(t, "Send", waits) == nil {
			t.Error("no error")
		}
		third := r.open(5, true)
		third.leave()
		r.told("a stream that is left", true)
		fourth := r.open(7, true)
		_ = fourth.respond(false)
		fourth.locked(func() { fourth.FinishLocked(true) })
		r.told("one that is left with its end", false, true)
	})
}

// Output that is produced while Data runs is sent when it returns.
func TestSaidInData(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.Lock()
		r.onHead = func(s *stream) { _ = s.sayHead(true) }
		r.Unlock()
		r.quiet.Store(true)
		s := r.open(1, true)
		r.Want("HEADERS 1 200 END")
		r.told("in Data")
		s.leave()
	})
}

// The owner is not told of output once the connection is over.
func TestUnsaidIsOver(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		r.quiet.Store(true)
		s, second := r.open(1, true), r.open(3, true)
		s.leave() // its RST_STREAM waits
		r.told("before", true)
		r.Link().Abort()
		wiretest.Within(t, "Over", r.over)
		second.leave()
		r.told("when it is over")
	})
}

// AwaitRoomLocked blocks while much output waits that the peer does not take. It returns when there is room, or when
// nothing can be sent any more.
func TestAwaitRoom(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{Buffer: 2000})
	r := begin(t, near, far, settings{})
	r.HelloServer()
	a, b, c := r.open(1, true), r.open(3, true), r.open(5, true)
	room := func(s *stream) <-chan error {
		ended := make(chan error, 1)
		go s.locked(func() {
			s.AwaitRoomLocked()
			_, out, err := s.OutLocked()
			if err == nil {
				s.SetOutLocked(out, false)
			}
			ended <- err
		})
		return ended
	}
	_ = r.Framer.WritePing(false, [8]byte{7: 1})
	r.Want("PING 01 ack") // Data, which would hold back what Draw is to send, has returned
	wiretest.Eventually(t, "the response to be sent", func() bool { return !r.Link().Unsent() })
	r.quiet.Store(true)
	a.says(20_000)
	r.Draw() // all that the peer takes for now, and some that waits for it
	a.says(h2conn.HeadLimit)
	if err := wiretest.Within(t, "who finds just enough room", room(a)); err != nil {
		t.Error(err)
	}
	a.says(9)
	waitA, waitB, waitC := room(a), room(b), room(c)
	for _, s := range []*stream{a, b, c} {
		wiretest.Eventually(t, "AwaitRoom to wait", s.Writes)
	}
	c.locked(func() { c.FailWritesLocked(h2conn.ErrClosed) })
	if err := wiretest.Within(t, "who is hushed", waitC); err != h2conn.ErrClosed {
		t.Errorf("got %v", err)
	}
	_ = b.SetWriteDeadline(b.conn.Link().Wall().Add(time.Hour))
	if len(waitA)+len(waitB) > 0 {
		t.Error("there is no room")
	}
	r.Want("UNKNOWN_FRAME_TYPE_119", "UNKNOWN_FRAME_TYPE_119", "UNKNOWN_FRAME_TYPE_119")
	for _, waits := range []<-chan error{waitA, waitB} {
		if err := wiretest.Within(t, "room", waits); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []*stream{a, b, c} {
		s.leave()
	}
}
