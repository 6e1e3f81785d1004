package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// A plan becomes the arguments of the load generator.
func TestPlansBecomeArguments(t *testing.T) {
	s := &process.Server{Addr: "127.0.0.1:1", PID: 7}
	for _, tc := range []struct {
		plan Plan
		tls  bool
		want string
	}{
		{Plan{Path: "/a", Conns: 3, Duration: time.Second}, false,
			"bench -json - -quiet -c 3 -pid 7 -warmup 0s -d 1s -same http://127.0.0.1:1/a"},
		{Plan{Path: "/a", Conns: 3, Pipeline: 16, Rate: 6666.66, BodyFile: "f", Fields: []string{"A: b"},
			Warmup: time.Second, Duration: 2 * time.Second}, true,
			"bench -json - -quiet -c 3 -pid 7 -warmup 1s -d 2s -pipeline 16 -rate 6666.7 -body f -H A: b -same -k https://127.0.0.1:1/a"},
		{Plan{Path: "/a", Conns: 3, HTTP3: true, Streams: 10, Requests: 40, Timeout: time.Minute, Warmup: time.Second}, true,
			"bench -json - -quiet -c 3 -pid 7 -n 40 -timeout 1m0s -m 10 -same -h3 -k https://127.0.0.1:1/a"},
	} {
		s.TLS = tc.tls
		if got := strings.Join(tc.plan.args(s), " "); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// program returns a load generator that runs the script.
func program(t *testing.T, script string) Tool {
	name := filepath.Join(t.TempDir(), "load")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return Tool(name)
}

// A report of the load generator with failed requests, or with none at all, is an error.
func TestAccountsThatDoNotCount(t *testing.T) {
	for _, tc := range []struct{ what, script, want string }{
		{"all is well", `echo '{"requests":10,"requests_per_s":5,"errors":{"connect":0},"latency_us":{"p50":1.5}}'`, ""},
		{"a request failed", `echo '{"requests":10,"errors":{"status":3}}'; exit 1`, "requests failed: 3 status errors, 10 succeeded"},
		{"nothing was answered", `echo '{"requests":0}'`, "no request was answered"},
		{"it says nothing", `echo oh no >&2; exit 1`, "oh no"},
		{"it fails in the end", `echo '{"requests":10}'; echo too late >&2; exit 1`, "too late"},
	} {
		tool := program(t, tc.script)
		a, err := tool.Run(context.Background(), &process.Server{Addr: "127.0.0.1:1"}, Plan{Cores: process.Both})
		switch {
		case tc.want == "" && (err != nil || a.Requests != 10 || a.Rate != 5 || a.Latency.P50 != 1.5):
			t.Errorf("%s: got %+v, %v", tc.what, a, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
	}
}
