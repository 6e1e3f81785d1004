package tcpmux

import (
	"math"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// A zero field is the default, a negative one means none, and impossible values are adjusted.
func TestSettings(t *testing.T) {
	d := Config{}.settings()
	if d.MaxMessage != 16<<20 || d.MaxChannels != 65536 || d.Window != 256<<10 || d.SessionWindow != 64<<20 || d.ResumeBytes != 16<<20 ||
		d.ResumeTimeout != time.Minute || d.PingInterval != 15*time.Second || d.IdleTimeout != 0 || d.HandshakeTimeout != 10*time.Second ||
		d.Linger != 5*time.Second || d.RedialFirst != 50*time.Millisecond || d.RedialLongest != 500*time.Millisecond ||
		d.MaxSessions != 0 || d.MaxWaiting != 1024 || d.WaitingBytes != 256<<20 || d.Logger == nil {
		t.Errorf("defaults: got %+v", d.Config)
	}
	n := Config{
		MaxMessage: -1, MaxChannels: -1, Window: -1, SessionWindow: -1, ResumeBytes: -1, ResumeTimeout: -1, PingInterval: -1, IdleTimeout: -1,
		HandshakeTimeout: -1, Linger: -1, RedialFirst: -1, RedialLongest: -1, MaxSessions: -1, MaxWaiting: -1, WaitingBytes: -1,
	}.settings()
	if most := muxframe.MaxCredit; n.MaxMessage != most || n.MaxChannels != most || n.Window != most || n.SessionWindow != most ||
		n.ResumeBytes != most || n.ResumeTimeout != 0 || n.PingInterval != 0 || n.IdleTimeout != 0 || n.HandshakeTimeout != 0 || n.Linger != 0 ||
		n.RedialFirst != 0 || n.RedialLongest != 0 || n.MaxSessions != 0 || n.MaxWaiting != math.MaxInt || n.WaitingBytes != math.MaxInt64 {
		t.Errorf("none: got %+v", n.Config)
	}
	if l := n.limits(); l.ResumeTime != math.MaxUint32 || l.Keepalive != 0 {
		t.Errorf("none is told as %+v", l)
	}
	if s := (Config{Window: 1, SessionWindow: 1}).settings(); s.Window != minWindow || s.SessionWindow != minWindow {
		t.Errorf("windows of 1: got %d, %d; want %d, %d", s.Window, s.SessionWindow, minWindow, minWindow)
	}
	if s := (Config{Window: 1 << 20, SessionWindow: 1 << 16}).settings(); s.Window != 1<<16 {
		t.Errorf("a window of %d in a session's of %d", s.Window, s.SessionWindow)
	}
	if s := (Config{AtMostOnce: true}).settings(); s.features() != 0 || d.features() != muxframe.CanResume {
		t.Error("the features do not follow AtMostOnce")
	}
}

// The shorter ResumeTimeout of the two sides is used, and no limit counts as the longest.
func TestShorterResumeTime(t *testing.T) {
	for _, tc := range []struct{ ours, theirs, want time.Duration }{
		{time.Second, 2 * time.Second, time.Second}, {2 * time.Second, time.Second, time.Second}, {-1, time.Second, time.Second},
		{time.Second, -1, time.Second}, {-1, -1, 0}, {time.Nanosecond, time.Second, time.Millisecond},
	} {
		theirs := Config{ResumeTimeout: tc.theirs}.settings().limits()
		if got := (Config{ResumeTimeout: tc.ours}).settings().resumeTimeout(theirs); got != tc.want {
			t.Errorf("%v and %v: %v, want %v", tc.ours, tc.theirs, got, tc.want)
		}
	}
}

// Only tcp://HOST:PORT and tls://HOST:PORT are addresses.
func TestAddresses(t *testing.T) {
	for text, want := range map[string]address{
		"tcp://h:1": {"h", "1", false}, "tls://[::1]:443/": {"::1", "443", true}, "tcp://:0": {"", "0", false},
	} {
		if a, err := parseAddress(text); err != nil || a != want {
			t.Errorf("%q: got %+v, %v; want %+v", text, a, err, want)
		}
	}
	for _, text := range []string{
		"", "h:1", "udp://h:1", "tcp://h", "tcp://h:1/path", "tcp://user@h:1", "tcp://h:1?x=y", "tcp://h:1:2", "tcp://%zz:1",
	} {
		if a, err := parseAddress(text); err == nil {
			t.Errorf("%q is taken: got %+v", text, a)
		}
	}
}

// A listener remembers a bounded number of sessions that were closed in order.
func TestOversAreBounded(t *testing.T) {
	l := &Listener{sessions: map[muxframe.ID]*Session{}, closedSessions: map[muxframe.ID]uint64{}}
	enter := func(k int, features muxframe.Features, e EndError) muxframe.ID {
		id := muxframe.ID{byte(k), byte(k >> 8), 1}
		s := newSession(Config{}.settings(), id, secret.Secret{}, Config{}.settings().limits(), features, false)
		s.origin, l.sessions[id] = l, s
		s.finishLocked(e)
		s.finishLocked(EndError{Err: ErrAborted}) // the first counts
		return id
	}
	var ids []muxframe.ID
	for k := range maxClosedKept + 10 {
		ids = append(ids, enter(k, muxframe.CanResume, EndError{}))
	}
	for k, id := range ids {
		want := muxframe.RefusedOver
		if k < 10 {
			want = muxframe.RefusedUnknown
		}
		if s, err := l.find(id); s != nil || err.(*refusalError).Code != want {
			t.Fatalf("session %d of %d: %v", k, len(ids), err)
		}
	}
	if len(l.closedSessions) != maxClosedKept || len(l.closedOrder) != maxClosedKept || len(l.sessions) != 0 {
		t.Errorf("got %d, %d, %d; want %d, %d, 0", len(l.closedSessions), len(l.closedOrder), len(l.sessions), maxClosedKept, maxClosedKept)
	}
	for k, id := range []muxframe.ID{enter(5000, 0, EndError{}), enter(5001, muxframe.CanResume, EndError{Err: ErrPingTimeout})} {
		if _, err := l.find(id); err.(*refusalError).Code != muxframe.RefusedUnknown {
			t.Errorf("session %d, whose peer cannot ask, or which was lost, is remembered", k)
		}
	}
}
