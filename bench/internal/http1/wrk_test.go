package http1

import (
	"strings"
	"testing"
)

// wrkText is what wrk prints.
const wrkText = `Running 3s test @ http://127.0.0.1:8080/plaintext
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   198.09us   85.30us   4.05ms   93.40%
    Req/Sec   318.31k    10.83k  333.75k    80.65%
  981790 requests in 3.10s, 121.73MB read
Requests/sec: 316714.27
Transfer/sec:     39.27MB
`

// The figures that wrk prints are read.
func TestReadWrk(t *testing.T) {
	requests, perSecond, err := readWrk([]byte(wrkText))
	if err != nil || requests != 981_790 || perSecond != 316_714.27 {
		t.Errorf("%v requests, %v a second, %v", requests, perSecond, err)
	}
}

// Output of wrk that shows failed requests, or no figures, is an error.
func TestWrkThatFailed(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{wrkText + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", "requests failed"},
		{wrkText + "  Non-2xx or 3xx responses: 981790\n", "requests failed"},
		{"unable to connect\n", "does not say"},
	} {
		if _, _, err := readWrk([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %q", tc.text, err, tc.want)
		}
	}
}
