package wiretest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a testing.TB that keeps what a failing conversation says.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failureOf runs one step of a conversation and returns what it says when it fails. Time passes only while both ends wait.
func failureOf(t *testing.T, step func(k *Talk, far *Talk)) (failure string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(Config{}, Config{})
		r := &recorder{TB: t}
		k, far := NewTalk(r, a), NewTalk(t, b)
		k.Timeout = 20 * time.Millisecond
		done := make(chan struct{})
		go func() {
			defer close(done)
			step(k, far)
		}()
		<-done
		failure = r.failure
	})
	return failure
}

// Each expectation of a Talk fails when it should, and says why.
func TestTalkFails(t *testing.T) {
	for name, tc := range map[string]struct {
		step func(k, far *Talk)
		says string
	}{
		"other bytes": {func(k, far *Talk) { k.Send("hi"); far.Send("no"); k.Want("yes") },
			"step 2: want \"yes\"\n got \"no\"\n after sending \"hi\""},
		"too short":     {func(k, far *Talk) { far.Send("ye"); k.Want("yes") }, "then nothing for 20ms"},
		"ends":          {func(k, far *Talk) { far.Send("ye"); far.Close(); k.Want("yes") }, "then the end"},
		"reset":         {func(k, far *Talk) { far.Reset(); k.Want("yes") }, "connection reset"},
		"no mark":       {func(k, far *Talk) { far.Send("a"); far.Close(); k.WantUntil("b") }, `want "b"`},
		"count":         {func(k, far *Talk) { far.Send("a"); far.Close(); k.WantN(2) }, "want 2 bytes, got 1"},
		"bytes at end":  {func(k, far *Talk) { far.Send("a"); far.Close(); k.WantEOF() }, `got "a" first`},
		"no end":        {func(k, far *Talk) { k.WantEOF() }, "want the end"},
		"no reset":      {func(k, far *Talk) { far.Close(); k.WantReset() }, "want a reset"},
		"not gone":      {func(k, far *Talk) { k.WantGone() }, "want the end or a reset"},
		"no silence":    {func(k, far *Talk) { far.Send("a"); k.WantSilence(time.Second) }, "want silence"},
		"silent by end": {func(k, far *Talk) { far.Close(); k.WantSilence(time.Second) }, "then the end"},
		"cannot send":   {func(k, far *Talk) { far.Close(); k.Send("x") }, "sent 0 of 1 bytes"},
	} {
		if got := failureOf(t, tc.step); !strings.Contains(got, tc.says) {
			t.Errorf("%s: the failure says %q, want %q in it", name, got, tc.says)
		}
	}
}

// Each expectation of a Talk passes when it should.
func TestTalkPasses(t *testing.T) {
	failure := failureOf(t, func(k, far *Talk) {
		k.Timeout = far.Timeout // nothing is waited for in vain
		far.Send("one two\nthree")
		k.Want("one ")
		if s := k.WantUntil("\n"); s != "two\n" {
			t.Errorf("WantUntil gave %q", s)
		}
		k.Want("thr")
		if s := k.WantN(2); s != "ee" {
			t.Errorf("WantN gave %q", s)
		}
		k.WantSilence(time.Millisecond)
		far.Send("rest")
		far.HalfClose()
		if s := k.Rest(); s != "rest" {
			t.Errorf("Rest gave %q", s)
		}
		k.Send("still open")
		far.Want("still open")
		far.Reset()
		k.end = nil
		k.WantReset()
	})
	if failure != "" {
		t.Error(failure)
	}
}
