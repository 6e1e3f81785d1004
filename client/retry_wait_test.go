package client

import (
	"math"
	"testing"
	"time"
)

// Waits double up to the longest, each is between half of that and all of it, and no setting makes them overflow.
func TestRetryWait(t *testing.T) {
	const s = time.Second
	for _, tc := range []struct {
		wait, most time.Duration
		want       []time.Duration // the longest, one by one
	}{
		{0, 0, []time.Duration{s / 10, s / 5, 2 * s / 5, 4 * s / 5, 8 * s / 5, 16 * s / 5, 5 * s, 5 * s}},
		{s, 3 * s, []time.Duration{s, 2 * s, 3 * s, 3 * s}},
		{10 * s, s, []time.Duration{s, s}},
		{-1, 0, []time.Duration{0, 0, 0}},
		{-s, 5 * s, []time.Duration{0, 0, 0}},
		{s, -1, []time.Duration{s, 2 * s, 4 * s, 8 * s}},
		{-s, -s, []time.Duration{0, 0, 0}},
		{5 * time.Hour, -1, []time.Duration{5 * time.Hour, 10 * time.Hour}},
	} {
		p := Retry{Wait: tc.wait, MaxWait: tc.most}.withDefaults()
		for n, want := range tc.want {
			for range 50 {
				if got := p.wait(n); got > want || got < want/2 {
					t.Errorf("%v, %v: the wait number %d is %v, want %v at most", tc.wait, tc.most, n+1, got, want)
				}
			}
		}
		for n := range 200 {
			if got := p.wait(n); got < 0 || tc.wait >= 0 && got < p.wait(0)/4 || got > p.MaxWait {
				t.Fatalf("%v, %v: the wait number %d is %v", tc.wait, tc.most, n+1, got)
			}
		}
	}
	if p := (Retry{Wait: 1, MaxWait: -1}).withDefaults(); p.wait(62) < math.MaxInt64/4 {
		t.Error(p.wait(62))
	}
}

// Retry-After is a number of seconds or one of the three forms of a time (RFC 9110 §5.6.7); a time that has passed means now, and
// any other value counts as absent.
func TestRetryAfterForms(t *testing.T) {
	now := time.Date(1994, 11, 6, 8, 49, 7, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": -1, "0": 0, "120": 2 * time.Minute, "2147483647": 2147483647 * time.Second, "2147483648": -1, "-1": -1, "+1": -1, "1.5": -1, "1 ": -1, "soon": -1,
		"Sun, 06 Nov 1994 08:49:37 GMT": 30 * time.Second, "Sunday, 06-Nov-94 08:49:37 GMT": 30 * time.Second, "Sun Nov  6 08:49:37 1994": 30 * time.Second,
		"Sun, 06 Nov 1994 08:49:07 GMT": 0, "Sun, 06 Nov 1994 08:00:00 GMT": 0, "Sun, 06 Nov 1994 25:49:37 GMT": -1,
	} {
		if got, ok := retryAfter(value, now); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: got %v, %v", value, got, ok)
		}
	}
}

// Ten retries may be made at any time, and as many more as requests have earned; no more than ten earned ones are kept.
func TestBudget(t *testing.T) {
	takes := func(b *budget) (n int) {
		for n < 100 && b.take() {
			n++
		}
		return n
	}
	var b budget
	b.init(&Retry{Budget: 0.1})
	for i, want := range []int{10, 0, 1, 1, 3} {
		for range []int{0, 9, 1, 10, 30}[i] {
			b.addRequest()
		}
		if got := takes(&b); got != want {
			t.Errorf("step %d: %d retries, want %d", i, got, want)
		}
	}
	for range 1000 {
		b.addRequest()
	}
	if got := takes(&b); got != 10 {
		t.Errorf("%d are kept", got)
	}
	b.init(&Retry{Budget: 1e-9}) // next to nothing is still a bound
	if got := takes(&b); got != 10 {
		t.Errorf("of next to nothing: got %d, want 10", got)
	}
	b.init(&Retry{Budget: -1})
	if got := takes(&b); got != 100 {
		t.Errorf("without a bound: got %d, want 100", got)
	}
}
