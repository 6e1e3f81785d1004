package besides

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// waiting is a request whose response takes d.
func waiting(d time.Duration) func() error {
	return func() error { time.Sleep(d); return nil }
}

var brief = Options{PID: os.Getpid(), Warmup: 10 * time.Millisecond, Duration: 200 * time.Millisecond}

// Only steady requests count, not those of connections that sleep in between.
func TestOnlySteadyRequestsCount(t *testing.T) {
	s := &requesters{
		steady: []func() error{waiting(0), waiting(0)}, asleep: []func() error{waiting(50 * time.Millisecond)},
		rate: 100, sleepTime: 50 * time.Millisecond,
	}
	a, err := s.run(brief)
	if err != nil {
		t.Fatal(err)
	}
	if a.Requests != 20 || a.Latency.P50 <= 0 || a.Latency.P99 < a.Latency.P50 {
		t.Errorf("%+v, want 20 requests", a)
	}
}

// Latency counts from the planned time of a request, so a late one cannot look quick.
func TestLatencyCountsFromThePlannedTime(t *testing.T) {
	s := &requesters{steady: []func() error{waiting(20 * time.Millisecond)}, rate: 100}
	a, err := s.run(brief)
	if err != nil {
		t.Fatal(err)
	}
	if a.Latency.P99 < 100_000 || a.Late < 10 {
		t.Errorf("p99 is %v µs and %d were late, where each takes twice the time that it has", a.Latency.P99, a.Late)
	}
}

// A request that fails, or returns too early to be asleep, is an error.
func TestFailuresAreErrors(t *testing.T) {
	broken := func() error { return errors.New("broken") }
	for _, tc := range []struct {
		want string
		s    *requesters
	}{
		{"broken", &requesters{steady: []func() error{broken}, rate: 100}},
		{"broken", &requesters{steady: []func() error{waiting(0)}, asleep: []func() error{broken}, rate: 100}},
		{"that should sleep", &requesters{steady: []func() error{waiting(0)}, asleep: []func() error{waiting(0)}, rate: 100, sleepTime: time.Second}},
	} {
		if _, err := tc.s.run(brief); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}
