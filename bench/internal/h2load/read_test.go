package h2load

import (
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// text is what h2load 1.52 prints.
const text = `starting benchmark...
spawning thread #0: 2 total client(s). 2000 total requests
Application protocol: h2c
progress: 100% done

finished in 41.52ms, 48169.56 req/s, 1.89MB/s
requests: 2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 2000 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 80.26KB (82186) total, 27.44KB (28098) headers (space savings 89.04%), 25.39KB (26000) data
                     min         max         mean         sd        +/- sd
time for request:       96us      1.61ms       371us       161us    77.30%
time for connect:      224us       260us       242us        25us   100.00%
time to 1st byte:      829us      1.52ms      1.17ms       491us   100.00%
req/s           :   24090.05    24256.49    24173.27      117.69   100.00%
`

// The figures that h2load prints are read.
func TestRead(t *testing.T) {
	got, err := read(text)
	want := summary{total: 2000, done: 2000, succeeded: 2000, ok: 2000, elapsed: 41_520 * time.Microsecond, rate: 48169.56,
		data: 26_000, mean: 371 * time.Microsecond, slowest: 1610 * time.Microsecond, protocol: "h2c"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if err := got.check(2000, 13); err != nil {
		t.Error(err)
	}
}

// Output of h2load that shows a failure, another protocol or too few bytes is an error.
func TestWhatDoesNotCount(t *testing.T) {
	for _, tc := range []struct{ what, old, new, want string }{
		{"a failure", "2000 succeeded, 0 failed", "1999 succeeded, 1 failed", "1999 succeeded"},
		{"another status", "2000 2xx, 0 3xx, 0 4xx", "1999 2xx, 0 3xx, 1 4xx", "1999 with a status of 2xx"},
		{"a request that was not answered", "2000 done, 2000 succeeded", "1999 done, 1999 succeeded", "1999 were done"},
		{"a byte too few", "(26000)", "(25999)", "have 25999 bytes, want 26000"},
		{"HTTP/1.1", "protocol: h2c", "protocol: http/1.1", `the protocol is "http/1.1"`},
		{"nothing", text, "", "h2load does not say"},
		{"no time", "finished in 41.52ms", "finished in 0us", "requests in 0s"},
	} {
		got, err := read(strings.Replace(text, tc.old, tc.new, 1))
		if err == nil {
			err = got.check(2000, 13)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
	}
}

// A plan becomes the arguments of h2load.
func TestPlansBecomeArguments(t *testing.T) {
	p := Plan{Path: "/a", Fields: []string{"te: trailers"}, BodyFile: "f", Conns: 2, Streams: 10}
	s := &process.Server{Addr: "127.0.0.1:1", TLS: true}
	if got, want := strings.Join(p.args(s, 30), " "), "-n 30 -c 2 -m 10 -d f -H te: trailers https://127.0.0.1:1/a"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
