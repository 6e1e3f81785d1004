package samples

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"math"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/meter"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/instructions"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/process"
)

// Run is a made-up run and what is asked of its report.
type Run struct {
	Cfg     load.Config
	Fail    limits.Conditions
	title   string
	notes   []string
	Command string
	Result  *account.Result
	used    meter.Usage
}

// Report returns the report of the run. What depends on the machine and the day is always the same.
func (m Run) Report() *report.Report {
	r := report.New(m.Cfg, m.Result, m.used)
	r.Title, r.Notes, r.Command = m.title, m.notes, m.Command
	limits.Judge(r, m.Fail)
	r.Version, r.Processors = "shockwave v1.2.3 go1.26.8 linux/amd64", 2
	r.Date = time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)
	return r
}

// TenSeconds is a made-up run: 100,000 requests a second but for a dip, latencies with a tail.
func TenSeconds() Run {
	target, _ := url.Parse("http://127.0.0.1:8080/plaintext")
	m := Run{Command: "shockwave bench -c 64 -d 10s http://127.0.0.1:8080/plaintext"}
	m.Cfg = load.Config{
		URL: target, Method: "GET", Conns: 64, Pipeline: 1, Duration: 10 * time.Second, Timeout: 10 * time.Second,
	}
	res := &account.Result{
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
		res.Seconds = append(res.Seconds, account.Second{
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
	m.Result, m.used = res, meter.Usage{
		Own: cpu(1200*time.Millisecond, 5300*time.Millisecond),
		Target: &meter.TargetUsage{
			PID: 4711, CPU: cpu(2100*time.Millisecond, 6900*time.Millisecond), RSS: 23 << 20,
			Executed: instructions.Number{User: 12_345_678_901, Kernel: 23_456_789_012},
		},
	}
	return m
}

// withTail is the latency of TenSeconds: that of 969,500 requests with a tail.
var withTail = sync.OnceValue(func() *hdrhistogram.Histogram {
	const requests = 969_500
	h := hdrhistogram.New(1, int64(time.Minute), 3)
	for i := range requests {
		rest := 1 - float64(i)/requests // of the requests that are slower
		h.RecordValue(int64(220_000 * math.Pow(rest, -0.35)))
	}
	return h
})

// BadDay is TenSeconds with a rate that could not be kept, errors of each kind, and an early end.
func BadDay() Run {
	m := TenSeconds()
	res := m.Result
	m.Cfg.Rate, m.Cfg.Duration, m.Cfg.Pipeline = 150_000, time.Minute, 16
	m.Cfg.Method, m.Cfg.Body = "POST", make([]byte, 1500)
	m.Command = "shockwave bench -body b -d 1m0s -pipeline 16 -rate 150k http://127.0.0.1:8080/plaintext"
	res.Late, res.Unsent, res.Reconnects = 512_000, 541_200, 3
	res.Errors = account.Errors{Connect: 1, Protocol: 22, Status: 1333, Length: 4, Closed: 55, Timeout: 666}
	res.Statuses = map[int]int64{200: res.Requests - 7, 302: 7, 503: 1333}
	res.Outages = []account.Outage{{From: 3 * time.Second, To: 3700 * time.Millisecond}, {From: 9 * time.Second, To: 10 * time.Second}}
	other := *m.Cfg.URL
	other.Path = "/other/" + strings.Repeat("long", 20)
	m.Cfg.More = []*url.URL{&other}
	m.title, m.notes = "A bad day", []string{"after the change", "on one core"}
	m.Fail = limits.Conditions{
		{Text: "p99<1ms", Name: "p99", Op: "<", Bound: 1000, Share: false},
		{Text: "errors<1%", Name: "errors", Op: "<", Bound: 1, Share: true},
	}
	res.Targets = []account.Target{
		{Requests: res.Requests / 2, Mean: 300 * time.Microsecond, Max: time.Millisecond},
		{Requests: res.Requests / 2, Errors: 2081, Mean: 400 * time.Microsecond, Max: 27 * time.Millisecond},
	}
	m.used.Own = cpu(4*time.Second, 15500*time.Millisecond)
	m.used.Target = nil
	return m
}

// NothingYet is a run that was interrupted before an answer came.
func NothingYet() Run {
	m := TenSeconds()
	m.Result, m.used = &account.Result{}, meter.Usage{}
	return m
}

// Slower is TenSeconds at nine tenths of its rate, with the same errors and twice the memory.
func Slower() Run {
	m := TenSeconds()
	res := m.Result
	res.Requests = 0
	for i := range res.Seconds {
		s := &res.Seconds[i]
		s.Requests = s.Requests * 9 / 10
		s.P99 = s.P99 * 12 / 10
		res.Requests += s.Requests
	}
	m.used.Target.RSS *= 2
	return m
}

func cpu(user, system time.Duration) process.CPU { return process.CPU{User: user, System: system} }
