package report

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"runtime"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/meter"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/process"
)

// PerRequest divides v by the number of requests.
func PerRequest(v float64, r *Report) float64 { return v / float64(max(1, r.Requests)) }

// New returns the report of a run.
func New(cfg load.Config, res *account.Result, used meter.Usage) *Report {
	r := &Report{
		Version: cli.Version(), Date: time.Now().UTC().Truncate(time.Second),
		URL: cfg.URL.Redacted(), Method: cfg.Method,
		Conns: cfg.Conns, Pipeline: cfg.Pipeline, Rate: cfg.Rate, BodyBytes: len(cfg.Body) + cfg.Message.Size,
		Elapsed: res.Elapsed.Seconds(), Connecting: res.Connecting.Seconds(),
		Requests: res.Requests, PerSecond: PerSecond(res.Requests, res.Elapsed.Seconds()),
		BytesIn: res.BytesIn, BytesOut: res.BytesOut,
		Errors: Errors(res.Errors), Unanswered: res.Unanswered, Late: res.Late, Unsent: res.Unsent,
		Reconnects: res.Reconnects, Statuses: res.Statuses,
		CPU:     seconds(used.Own),
		Seconds: make([]Second, 0, len(res.Seconds)),
		Outages: make([]Outage, 0, len(res.Outages)),
		Parts:   newParts(&res.Parts), Prefixed: cfg.Message.Prefixed,
		Run: Run{
			Noun: Requests, same: cfg.Same, Message: cfg.Message, Values: res.Latency,
			Asked: cfg.Duration, AskedRequests: cfg.Requests, Timeout: cfg.Timeout, Processors: runtime.GOMAXPROCS(0),
		},
	}
	if load.CarriesMessages(cfg.URL) {
		r.Noun = Messages
	}
	if load.IsStream(cfg.URL) {
		r.Method = ""
	}
	if r.OneWay = newOneWay(cfg, res.OneWay); cfg.HTTP3 {
		r.HTTP3 = newStreams(res.Streams)
	} else {
		r.HTTP2 = newStreams(res.Streams)
	}
	if r.Statuses == nil {
		r.Statuses = map[int]int64{}
	}
	if h := res.Latency; h != nil && h.TotalCount() > 0 {
		r.Latency, r.Curve = newLatency(h), newCurve(h)
	}
	r.Histogram = r.Bars(10)
	for _, o := range res.Outages {
		r.Outages = append(r.Outages, Outage{o.From.Seconds(), o.To.Seconds()})
	}
	r.URLs = newURLs(cfg, res.Targets)
	if t := used.Target; t != nil {
		spent := seconds(t.CPU)
		r.Target = &Target{PID: t.PID, User: spent.User, System: spent.System, RSS: t.RSS,
			UserInstructions: t.Executed.User, KernelInstructions: t.Executed.Kernel}
	}
	for _, s := range res.Seconds {
		r.Seconds = append(r.Seconds, Second{
			s.At.Seconds(), s.Requests, s.Errors, s.Open, Micros(int64(s.P50)), Micros(int64(s.P99)),
		})
	}
	return r
}

func seconds(c process.CPU) CPU { return CPU{c.User.Seconds(), c.System.Seconds()} }
