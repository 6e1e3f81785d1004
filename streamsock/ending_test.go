package streamsock

import "testing"

// TestEnding: why a connection ends is decided once, and the user is told once.
func TestEnding(t *testing.T) {
	eof, local, idle := End{Reason: ReasonEOF}, End{Reason: ReasonLocal}, End{Reason: ReasonIdle}
	for name, tc := range map[string]struct {
		before func(e *ending) bool
		want   Reason
		untold bool
		left   int
	}{
		"by itself":              {func(*ending) bool { return true }, ReasonIdle, true, 0},
		"by the peer":            {func(e *ending) bool { return e.tell(eof) && !e.tell(local) }, ReasonEOF, false, 0},
		"by this side":           {func(e *ending) bool { return e.close(local, 3) && !e.tell(eof) && !e.close(eof, 5) }, ReasonLocal, true, 3},
		"by the peer, then here": {func(e *ending) bool { return e.tell(eof) && e.close(local, 2) }, ReasonEOF, false, 2},
	} {
		var e ending
		if !tc.before(&e) {
			t.Errorf("%s: a step was not what it should be", name)
		}
		why, untold := e.over(idle)
		if why.Reason != tc.want || untold != tc.untold || e.left != tc.left {
			t.Errorf("%s: %v, untold %v, %d left", name, why.Reason, untold, e.left)
		}
		if why, untold = e.over(local); why.Reason != tc.want || untold {
			t.Errorf("%s: over twice: %v, untold %v", name, why.Reason, untold)
		}
	}
}
