package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// written is the file that -json writes of a run.
func written(t *testing.T, name string, made run3) string {
	t.Helper()
	var b bytes.Buffer
	if err := reportOf(made).writeJSON(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// slower is tenSeconds at nine tenths of its rate, with the same errors and twice the memory.
func slower() (benchOptions, *load.Result, cpuUsage) {
	opt, res, used := tenSeconds()
	res.Requests = 0
	for i := range res.Seconds {
		s := &res.Seconds[i]
		s.Requests = s.Requests * 9 / 10
		s.P99 = s.P99 * 12 / 10
		res.Requests += s.Requests
	}
	used.target.rss *= 2
	return opt, res, used
}

func TestBenchCompare(t *testing.T) {
	a, b, bad := written(t, "a.json", tenSeconds), written(t, "b.json", slower), written(t, "bad.json", badDay)
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
		{[]string{"-fail", "p99<20ms", a, b}, 2, nil, "no condition on a change"},
		{[]string{a}, 2, nil, "it takes two files that bench -json has written, A.json B.json, not 1"},
		{[]string{a, "no-such-file"}, 1, nil, "no-such-file"},
		{[]string{a, "bench_compare_test.go"}, 1, nil, "bench_compare_test.go: invalid character"},
		{[]string{a, filepath.Join("testdata", "bench", "other.json")}, 1, nil, "is no report that bench -json has written"},
	} {
		var out, err bytes.Buffer
		if code := run(append([]string{"bench", "compare"}, tc.args...), console{out: &out, err: &err}); code != tc.code {
			t.Errorf("%q: exit code %d, want %d\n%s", tc.args, code, tc.code, &err)
		}
		wantText(t, "standard error", err.String(), tc.err)
		for _, want := range tc.says {
			wantText(t, strings.Join(tc.args, " "), out.String(), want)
		}
	}
}

// TestMannWhitney: against values worked out by hand.
func TestMannWhitney(t *testing.T) {
	for _, tc := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0.01219},
		{[]float64{6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5}, 0.01219},
		{[]float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, 0.6650},
		{[]float64{1, 1, 2, 2, 3}, []float64{2, 2, 3, 3, 4}, 0.12512},
		{[]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, 1},
		{[]float64{1, 2, 3}, []float64{6, 7, 8, 9}, math.NaN()},
	} {
		got := mannWhitney(tc.a, tc.b)
		if math.IsNaN(tc.want) != math.IsNaN(got) || math.Abs(got-tc.want) > 0.0005 {
			t.Errorf("%v against %v: %.5f, want %.5f", tc.a, tc.b, got, tc.want)
		}
	}
}
