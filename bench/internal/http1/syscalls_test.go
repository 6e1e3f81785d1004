package http1

import (
	"math"
	"strings"
	"testing"
)

// stracetable is what strace -c -f writes.
const stracetable = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 52.63    0.523444           5    100000           sendto
 46.12    0.458711           4    102000      1000 recvfrom
  0.73    0.007261          72      1000           epoll_pwait
  0.33    0.003282          25      3000           accept4
  0.19    0.001890          13      2000       100 futex
------ ----------- ----------- --------- --------- ----------------
100.00    0.994588           4    208000      1100 total
`

// The calls that strace counts are summed by kind and divided by the requests.
func TestPerKind(t *testing.T) {
	got, err := perKind(strings.NewReader(stracetable), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{
		syscalls.Key: 2.08, sending.Key: 1, receiving.Key: 1.02, waiting.Key: 0.01, others.Key: 0.05,
	} {
		if math.Abs(got[key]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
}

// An empty table of strace is an error.
func TestNothingCountedIsAnError(t *testing.T) {
	if v, err := perKind(strings.NewReader(""), 100); err == nil {
		t.Errorf("an empty table is %v, want an error", v)
	}
}
