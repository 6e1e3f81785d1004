package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// written is the file that -json writes of a run.
func written(t *testing.T, name string, made func() samples.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := made().Report().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The comparison shows changes, judges them, and checks its conditions.
func TestBenchCompare(t *testing.T) {
	a, b, bad := written(t, "a.json", samples.TenSeconds), written(t, "b.json", samples.Slower), written(t, "bad.json", samples.BadDay)
	for _, tc := range []struct {
		args []string
		code int
		says []string
		err  string
	}{
		{[]string{a, b}, 0, []string{
			"A  " + a + ": GET http://127.0.0.1:8080/plaintext\n", "64 connections for 10.0 s, on 2026-11-22 10:30 UTC",
			"rate                          96,950/s      87,255/s       −10.0 %  worse (p=0.0",
			"latency p50                     281 µs        281 µs        +0.0 %", "server's memory               23.0 MiB      46.0 MiB      +100.0 %",
			"server a request               9.28 µs", "Mann and Whitney",
		}, ""},
		{[]string{b, a}, 0, []string{"+11.1 %  better (p=0.0"}, ""},
		{[]string{a, a}, 0, []string{"rate                          96,950/s      96,950/s        +0.0 %\n"}, ""},
		{[]string{a, bad}, 0, []string{"B  A bad day: POST", "   after the change\n", "The runs were not the same: ", "pipeline 1 and 16",
			"rate 0 and 150000", "errors                               0         2,081     from none  worse\n", "no connection"}, ""},
		{[]string{"-fail", "rate>-15%,p50<5%", a, b}, 0, []string{"rate>-15%     holds: −10.0 %"}, ""},
		{[]string{a, b, "-fail", "rate>-5%,memory<50%"}, 1, []string{"rate>-5%      FAILED: −10.0 %"},
			"rate>-5% does not hold: −10.0 %; memory<50% does not hold: +100.0 %"},
		{[]string{"-fail", "errors<=0%", a, bad}, 1, []string{"FAILED: from none"}, "errors<=0% does not hold"},
		{[]string{"-fail", "server<5%", a, bad}, 1, nil, "there is no such figure in both"},
		{[]string{"-fail", "p99<20ms", a, b}, 2, nil, "not a condition on a change"},
		{[]string{a}, 2, nil, "it takes two files that bench -json has written, A.json B.json, not 1"},
		{[]string{a, "no-such-file"}, 1, nil, "no-such-file"},
		{[]string{a, "compare_test.go"}, 1, nil, "compare_test.go: invalid character"},
		{[]string{a, filepath.Join("testdata", "other.json")}, 1, nil, "is not a report of bench -json"},
	} {
		var out, err bytes.Buffer
		if code := func() int { con := cli.Console{Out: &out, Err: &err}; return cli.ExitCode(Run(tc.args, con), con) }(); code != tc.code {
			t.Errorf("%q: exit code %d, want %d\n%s", tc.args, code, tc.code, &err)
		}
		clitest.WantText(t, "standard error", err.String(), tc.err)
		for _, want := range tc.says {
			clitest.WantText(t, strings.Join(tc.args, " "), out.String(), want)
		}
	}
}

// Runs over different protocols are not the same.
func TestBenchComparesProtocols(t *testing.T) {
	a, b := &report.Report{Run: report.Run{Noun: report.Requests}}, &report.Report{Run: report.Run{Noun: report.Requests}, HTTP2: &report.Streams{}}
	var c comparison
	c[0].Report, c[1].Report = a, b
	if got := strings.Join(c.differences(), "; "); got != "protocol HTTP/1.1 and HTTP/2" {
		t.Errorf("%q", got)
	}
	c[1].Report = a
	if got := c.differences(); got != nil {
		t.Errorf("%q", got)
	}
}
