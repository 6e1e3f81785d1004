package tcpmux

import (
	"context"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// Accept returns sessions in the order in which they came, and ErrClosed after the listener was closed.
func TestArrived(t *testing.T) {
	l := newLounge(t, Config{})
	type result struct {
		s   *Session
		err error
	}
	got := make(chan result, 10)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	accept := func() {
		s, err := l.Accept(ctx)
		got <- result{s, err}
	}
	var all []*Session
	for range 3 {
		all = append(all, lonely(Config{}))
		l.announce(all[len(all)-1])
	}
	before := l.unaccepted
	for k, s := range all {
		if accept(); (<-got).s != s || before[k] != nil {
			t.Errorf("session %d is not the next, or is held", k)
		}
	}
	for range 3 {
		go accept()
	}
	l.mu.Lock()
	for _, s := range all[:2] { // both are there before one who waits can look
		l.unaccepted = append(l.unaccepted, s)
		l.signalAcceptLocked()
	}
	l.mu.Unlock()
	seen := map[*Session]bool{}
	for range 2 {
		seen[(<-got).s] = true
	}
	if !seen[all[0]] || !seen[all[1]] {
		t.Errorf("got %v, want both sessions", seen)
	}
	go accept()
	l.mu.Lock()
	l.closing = true
	l.signalAcceptLocked()
	l.mu.Unlock()
	for range 2 {
		if x := <-got; x.err != ErrClosed {
			t.Errorf("closed: got %v, want %v", x.err, ErrClosed)
		}
	}
	l.announce(all[2]) // who has greeted before is still accepted
	if accept(); (<-got).s != all[2] {
		t.Error("the third session was not accepted")
	}
}

// A listener takes at most MaxSessions sessions, and none after it was closed.
func TestEnter(t *testing.T) {
	for name, tc := range map[string]struct {
		most, have int
		closing    bool
		want       muxframe.Refusal // 0: it is taken
	}{
		"room": {2, 1, false, 0}, "no bound": {0, 3, false, 0}, "full": {2, 2, false, muxframe.RefusedFull},
		"closing": {2, 0, true, muxframe.RefusedClosing}, "closing, full": {2, 2, true, muxframe.RefusedClosing},
	} {
		l := newLounge(t, Config{MaxSessions: tc.most})
		for range tc.have {
			l.comes(0)
		}
		l.closing = tc.closing
		s := lonely(Config{})
		s.id = muxframe.ID{99}
		code := muxframe.Refusal(0)
		if err := l.add(s); err != nil {
			code = err.(*refusalError).Code
		}
		if code != tc.want || (l.sessions[s.id] == s) != (tc.want == 0) || l.Stats().Accepted != int64(len(l.sessions)-tc.have) {
			t.Errorf("%s: got %v, %+v", name, code, l.Stats())
		}
	}
}
