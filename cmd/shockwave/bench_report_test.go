package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/instructions"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/bench anew")

// tenSeconds is a made-up run: 100,000 requests a second but for a dip, latencies with a tail.
func tenSeconds() (benchOptions, *load.Result, cpuUsage) {
	target, _ := url.Parse("http://127.0.0.1:8080/plaintext")
	opt := benchOptions{pid: 4711, command: "shockwave bench -c 64 -d 10s http://127.0.0.1:8080/plaintext"}
	opt.cfg = load.Config{
		URL: target, Method: "GET", Conns: 64, Pipeline: 1, Duration: 10 * time.Second, Timeout: 10 * time.Second,
	}
	res := &load.Result{
		Elapsed: 10 * time.Second, Connecting: 2140 * time.Microsecond,
		Unanswered: 64, Statuses: map[int]int64{},
		Latency: withTail().Clone(),
	}
	// The engine's clock is never quite on the second.
	for i := 1; i <= 10; i++ {
		n := int64(100_000 + 500*i%1700)
		if i == 4 {
			n = 61_000
		}
		res.Requests += n
		res.Seconds = append(res.Seconds, load.Second{
			At: time.Duration(i)*time.Second + time.Duration(2*i)*time.Millisecond, Requests: n, Open: 64,
			P50: 310 * time.Microsecond, P99: 900*time.Microsecond + time.Duration(40*i)*time.Microsecond,
		})
	}
	res.Parts.Connect, res.Parts.FirstByte = hdrhistogram.New(1, int64(time.Minute), 3), res.Latency
	for i := range int64(64) {
		res.Parts.Connect.RecordValue(90_000 + 1000*i)
	}
	res.Statuses[200] = res.Requests
	res.BytesIn, res.BytesOut = 143*res.Requests, 45*res.Requests
	return opt, res, cpuUsage{
		own:    cpu{1200 * time.Millisecond, 5300 * time.Millisecond},
		target: &targetUsage{4711, cpu{2100 * time.Millisecond, 6900 * time.Millisecond}, 23 << 20, instructions.Number{User: 12_345_678_901, Kernel: 23_456_789_012}},
	}
}

// withTail is the latency of tenSeconds: that of 969,500 requests with a tail.
var withTail = sync.OnceValue(func() *hdrhistogram.Histogram {
	const requests = 969_500
	h := hdrhistogram.New(1, int64(time.Minute), 3)
	for i := range requests {
		rest := 1 - float64(i)/requests // of the requests that are slower
		h.RecordValue(int64(220_000 * math.Pow(rest, -0.35)))
	}
	return h
})

// badDay is tenSeconds with a rate that could not be kept, errors of each kind, and an early end.
func badDay() (benchOptions, *load.Result, cpuUsage) {
	opt, res, used := tenSeconds()
	opt.cfg.Rate, opt.cfg.Duration, opt.cfg.Pipeline = 150_000, time.Minute, 16
	opt.cfg.Method, opt.cfg.Body = "POST", make([]byte, 1500)
	opt.command = "shockwave bench -body b -d 1m0s -pipeline 16 -rate 150k http://127.0.0.1:8080/plaintext"
	res.Late, res.Unsent, res.Reconnects = 512_000, 541_200, 3
	res.Errors = load.Errors{Connect: 1, Protocol: 22, Status: 1333, Length: 4, Closed: 55, Timeout: 666}
	res.Statuses = map[int]int64{200: res.Requests - 7, 302: 7, 503: 1333}
	res.Outages = []load.Outage{{From: 3 * time.Second, To: 3700 * time.Millisecond}, {From: 9 * time.Second, To: 10 * time.Second}}
	other := *opt.cfg.URL
	other.Path = "/other/" + strings.Repeat("long", 20)
	opt.cfg.More = []*url.URL{&other}
	opt.title, opt.notes = "A bad day", lines{"after the change", "on one core"}
	opt.fail = requirements{{"p99<1ms", "p99", "<", 1000, false}, {"errors<1%", "errors", "<", 1, true}}
	res.Targets = []load.Target{
		{Requests: res.Requests / 2, Mean: 300 * time.Microsecond, Max: time.Millisecond},
		{Requests: res.Requests / 2, Errors: 2081, Mean: 400 * time.Microsecond, Max: 27 * time.Millisecond},
	}
	used.own = cpu{4 * time.Second, 15500 * time.Millisecond}
	used.target = nil
	return opt, res, used
}

// nothingYet is a run that was interrupted before an answer came.
func nothingYet() (benchOptions, *load.Result, cpuUsage) {
	opt, _, _ := tenSeconds()
	return opt, &load.Result{}, cpuUsage{}
}

type run3 = func() (benchOptions, *load.Result, cpuUsage)

// reportOf pins what depends on the machine and the day.
func reportOf(made run3) *benchReport {
	r := reportFor(made())
	r.Version, r.processors = "shockwave v1.2.3 go1.26.8 linux/amd64", 2
	r.Date = time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)
	return r
}

func TestBenchReportText(t *testing.T) {
	for name, made := range map[string]run3{"ten-seconds": tenSeconds, "bad-day": badDay, "nothing": nothingYet} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := reportOf(made).writeText(&text, false); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				if n := utf8.RuneCountInString(line) - 1; n > 100 || strings.TrimRight(line, " \n")+"\n" != line {
					t.Errorf("%d columns, or spaces at the end: %q", n, line)
				}
			}
			wantGolden(t, name+".txt", text.Bytes())
		})
	}
}

func TestBenchReportOnATerminalIsPainted(t *testing.T) {
	var text bytes.Buffer
	reportOf(badDay).writeText(&text, true)
	if !strings.Contains(text.String(), "\x1b[1;31mERRORS: 2,081 of ") {
		t.Errorf("the errors are not red:\n%.300s", text.String())
	}
}

func TestBenchReportJSON(t *testing.T) {
	var text bytes.Buffer
	if err := reportOf(tenSeconds).writeJSON(&text); err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "ten-seconds.json", text.Bytes())
	text.Reset()
	if err := reportOf(nothingYet).writeJSON(&text); err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "nothing.json", text.Bytes())
}

// TestBenchReportJSONShape holds the members' names, which other programs read.
func TestBenchReportJSONShape(t *testing.T) {
	var text bytes.Buffer
	reportOf(tenSeconds).writeJSON(&text)
	var whole map[string]any
	if err := json.Unmarshal(text.Bytes(), &whole); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "body_bytes bytes_in bytes_out connecting_s conns cpu_s date elapsed_s errors histogram late latency_us method " +
			"outages parts_us pipeline rate reconnects requests requests_per_s seconds statuses target unanswered unsent url version",
		"errors":     "closed connect content length protocol reset status timeout",
		"histogram":  "count from_us to_us",
		"latency_us": "max mean min p50 p75 p90 p99 p99_9 p99_99 stdev",
		"parts_us":   "connect first_byte",
		"cpu_s":      "system user",
		"target":     "kernel_instructions pid rss_bytes system_s user_instructions user_s",
		"seconds":    "at_s errors open p50_us p99_us requests",
	} {
		part := any(whole)
		if path != "" {
			part = whole[path]
		}
		if list, ok := part.([]any); ok {
			part = list[0]
		}
		var names []string
		for name := range part.(map[string]any) {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q has the members\n%s\nwant\n%s", path, got, want)
		}
	}
}

// TestBenchTellsSilences: seconds without an answer are told where there should have been some.
func TestBenchTellsSilences(t *testing.T) {
	made := func(change func(*benchOptions, *load.Result)) *benchReport {
		opt, res, used := tenSeconds()
		for _, i := range []int{3, 4, 7} {
			res.Seconds[i].Requests = 0
		}
		change(&opt, res)
		return reportFor(opt, res, used)
	}
	for name, tc := range map[string]struct {
		change func(*benchOptions, *load.Result)
		want   []benchOutage
	}{
		"a stall":       {func(*benchOptions, *load.Result) {}, []benchOutage{{3.006, 5.01}, {7.014, 8.016}}},
		"errors came":   {func(_ *benchOptions, res *load.Result) { res.Seconds[7].Errors = 1 }, []benchOutage{{3.006, 5.01}}},
		"no connection": {func(_ *benchOptions, res *load.Result) { res.Seconds[7].Open = 0 }, []benchOutage{{3.006, 5.01}}},
		"a low rate":    {func(opt *benchOptions, _ *load.Result) { opt.cfg.Rate = 2 }, nil},
		"slow answers":  {func(_ *benchOptions, res *load.Result) { res.Latency.RecordValues(int64(time.Second), 1<<40) }, nil},
	} {
		r := made(tc.change)
		if got := r.silences(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		var text bytes.Buffer
		r.writeText(&text, false)
		if said := strings.Contains(text.String(), "nothing was answered from 3 s to 5 s, although"); said != (tc.want != nil) {
			t.Errorf("%s:\n%s", name, &text)
		}
	}
}

// TestBenchThresholdsWithoutAnswers: no answer is not a fast one.
func TestBenchThresholdsWithoutAnswers(t *testing.T) {
	opt, res, used := nothingYet()
	if err := opt.fail.Set("p99<1h, max<1h, errors<1%"); err != nil {
		t.Fatal(err)
	}
	r := reportFor(opt, res, used)
	if th := r.Thresholds; len(th) != 3 || th[0].Holds || th[1].Holds || !th[2].Holds || th[0].Value != "nothing was answered" {
		t.Errorf("thresholds %+v", th)
	}
}

// TestBenchHistogramIsWhole: every answer is in one column, and the columns are in a row.
func TestBenchHistogramIsWhole(t *testing.T) {
	r := reportOf(tenSeconds)
	for _, density := range []int{10, 5, 3, 2, 1} {
		bars, sum := r.bars(density), int64(0)
		for i, b := range bars {
			if sum += b.Count; b.From >= b.To || i > 0 && b.From != bars[i-1].To {
				t.Errorf("%d columns in ten: %v follows %v", density, b, bars[max(0, i-1)])
			}
		}
		last := bars[len(bars)-1]
		if sum != r.Requests || bars[0].From > r.Latency.Min || last.To < r.Latency.Max || last.Count == 0 {
			t.Errorf("%d columns in ten: %d answers from %v to %v", density, sum, bars[0].From, last.To)
		}
	}
}

// TestLogAxis: the marks enclose the values, rise, and are no more than there is room for.
func TestLogAxis(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		want   string
	}{
		{220, 5500, "[160 250 400 630 1000 1600 2500 4000 6300]"},
		{200, 400, "[200 250 320 400 500]"},
		{300, 300, "[250 320]"},
		{1, 1e6, "[1 10 100 1000 10000 100000 1e+06]"},
		{0.1, 3.6e9, "[0.01 1 100 10000 1e+06 1e+08 1e+10]"},
	} {
		if got := fmt.Sprint(logAxis(tc.lo, tc.hi, 8)); got != tc.want {
			t.Errorf("from %v to %v: %s, want %s", tc.lo, tc.hi, got, tc.want)
		}
	}
	// The one fastest answer does not take the room of all others, nor leave the plot.
	if got := leastPlotted([]float64{1, 200, 300}); got != 200 {
		t.Errorf("the axis begins at %v", got)
	}
	opt, res, used := tenSeconds()
	res.Latency.RecordValue(1)
	plot := reportFor(opt, res, used).latencyPlot()
	if strings.Contains(plot, "ns") || strings.Count(plot, "\n") > plotRows+4 || !strings.Contains(plot, "160 µs") {
		t.Errorf("the plot is\n%s", plot)
	}
}

func TestBenchVerdict(t *testing.T) {
	for want, made := range map[string]run3{
		"": tenSeconds, "nothing was answered": nothingYet, "p99<1ms does not hold: 1.10 ms": badDay,
		"nothing was answered as expected; 9 errors": func() (benchOptions, *load.Result, cpuUsage) {
			opt, res, used := nothingYet()
			res.Errors.Timeout = 9
			return opt, res, used
		},
	} {
		got := ""
		if err := reportOf(made).runError(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("the verdict is %q, want %q", got, want)
		}
	}
}

func TestBenchWords(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(-1234567), "-1,234,567"},
		{microseconds(0), "0"}, {microseconds(0.25), "250 ns"}, {microseconds(0.0999), "99.9 ns"}, {microseconds(9.999), "10.0 µs"},
		{microseconds(312.4), "312 µs"}, {microseconds(999.6), "1.00 ms"}, {microseconds(4213), "4.21 ms"},
		{microseconds(99_960), "100 ms"}, {microseconds(1.5e6), "1.50 s"}, {roundMicroseconds(2500), "2.5 ms"}, {microseconds(100e6), "100 s"},
		{ratePerSecond(0.5), "0.5"}, {ratePerSecond(12.345), "12.3"}, {ratePerSecond(182345.4), "182,345"},
		{percent(0, 10), "0 %"}, {percent(1, 100_000), "under 0.1 %"}, {percent(99_999, 100_000), "over 99.9 %"},
		{percent(1, 8), "12 %"}, {percent(1, 40), "2.5 %"}, {percent(5, 5), "100 %"}, {percent(0, 0), "0 %"},
		{counted(1, "error", "errors"), "1 error"}, {counted(2000, "error", "errors"), "2,000 errors"},
		{nines(0), "p0"}, {nines(1), "p90"}, {nines(3), "p99.9"}, {nines(5), "p99.999"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// wantGolden compares with a file of testdata/bench, or writes it with -rewrite.
func wantGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "bench", name)
	if *rewrite {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (- want, + got):\n%s", file, diff)
	}
}
