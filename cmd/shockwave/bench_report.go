package main

import (
	"math"
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchPoint is a point of the latency curve: all requests but one in 10^nines took at most us microseconds.
type benchPoint struct{ nines, us float64 }

// newBenchReport returns the report of a run.
func newBenchReport(cfg load.Config, res *load.Result, used cpuUsage) *benchReport {
	r := &benchReport{
		Version: version(), Date: time.Now().UTC().Truncate(time.Second),
		URL: cfg.URL.Redacted(), Method: cfg.Method,
		Conns: cfg.Conns, Pipeline: cfg.Pipeline, Rate: cfg.Rate, BodyBytes: len(cfg.Body) + cfg.Message.Size,
		Elapsed: res.Elapsed.Seconds(), Connecting: res.Connecting.Seconds(),
		Requests: res.Requests, PerSecond: perSecond(res.Requests, res.Elapsed.Seconds()),
		BytesIn: res.BytesIn, BytesOut: res.BytesOut,
		Errors: benchErrors(res.Errors), Unanswered: res.Unanswered, Late: res.Late, Unsent: res.Unsent,
		Reconnects: res.Reconnects, Statuses: res.Statuses,
		CPU:     used.own.seconds(),
		Seconds: make([]benchSecond, 0, len(res.Seconds)),
		Outages: make([]benchOutage, 0, len(res.Outages)),
		Parts:   newBenchParts(&res.Parts), Prefixed: cfg.Message.Prefixed,
		benchRun: benchRun{
			noun: requests, same: cfg.Same, message: cfg.Message, values: res.Latency,
			asked: cfg.Duration, askedRequests: cfg.Requests, timeout: cfg.Timeout, processors: runtime.GOMAXPROCS(0),
		},
	}
	if carriesMessages(cfg.URL) {
		r.noun = messages
	}
	if isStream(cfg.URL) {
		r.Method = ""
	}
	if r.OneWay = newBenchOneWay(cfg, res.OneWay); cfg.HTTP3 {
		r.HTTP3 = newBenchStreams(res.Streams)
	} else {
		r.HTTP2 = newBenchStreams(res.Streams)
	}
	if r.Statuses == nil {
		r.Statuses = map[int]int64{}
	}
	if h := res.Latency; h != nil && h.TotalCount() > 0 {
		r.Latency, r.curve = newBenchLatency(h), newCurve(h)
	}
	r.Histogram = r.bars(10)
	for _, o := range res.Outages {
		r.Outages = append(r.Outages, benchOutage{o.From.Seconds(), o.To.Seconds()})
	}
	r.URLs = newBenchURLs(cfg, res.Targets)
	if t := used.target; t != nil {
		spent := t.cpu.seconds()
		r.Target = &benchTarget{PID: t.pid, User: spent.User, System: spent.System, RSS: t.rss,
			UserInstructions: t.executed.User, KernelInstructions: t.executed.Kernel}
	}
	for _, s := range res.Seconds {
		r.Seconds = append(r.Seconds, benchSecond{
			s.At.Seconds(), s.Requests, s.Errors, s.Open, micros(int64(s.P50)), micros(int64(s.P99)),
		})
	}
	return r
}

func newBenchLatency(h *hdrhistogram.Histogram) benchLatency {
	at := func(percent float64) float64 { return micros(h.ValueAtQuantile(percent)) }
	return benchLatency{
		Min: micros(h.Min()), Mean: micros(int64(h.Mean())), Max: micros(h.Max()),
		P50: at(50), P75: at(75), P90: at(90), P99: at(99), P999: at(99.9), P9999: at(99.99),
		Stdev: micros(int64(h.StdDev())),
	}
}

// newCurve samples h at evenly spaced numbers of nines, up to the last percentile that at least ten requests exceed.
func newCurve(h *hdrhistogram.Histogram) (curve []benchPoint) {
	const step = 0.02
	last := math.Log10(float64(h.TotalCount())) - 1
	for i := 0; float64(i)*step <= last; i++ {
		nines := float64(i) * step
		curve = append(curve, benchPoint{nines, micros(h.ValueAtQuantile(100 - 100*math.Pow(10, -nines)))})
	}
	return curve
}

func (c cpu) seconds() benchCPU { return benchCPU{c.user.Seconds(), c.system.Seconds()} }

// micros converts nanoseconds to microseconds.
func micros(ns int64) float64 { return float64(ns) / 1000 }

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// fullSeconds returns the seconds of the run, without the last one if it is too short to tell a rate.
func (r *benchReport) fullSeconds() []benchSecond {
	if n := len(r.Seconds); n > 1 && r.Seconds[n-1].At-r.Seconds[n-2].At < 0.5 {
		return r.Seconds[:n-1]
	}
	return r.Seconds
}

// length returns the duration of fullSeconds. A value within 50 ms of a whole second is rounded: timers fire a little
// late.
func (r *benchReport) length() float64 {
	spans := r.fullSeconds()
	if len(spans) == 0 {
		return 0
	}
	last := spans[len(spans)-1].At
	if whole := math.Round(last); math.Abs(last-whole) < 0.05 {
		return whole
	}
	return last
}

// rates returns the requests per second of each of fullSeconds.
func (r *benchReport) rates() (rates []float64) {
	began := 0.0
	for _, s := range r.fullSeconds() {
		rates = append(rates, perSecond(s.Requests, s.At-began))
		began = s.At
	}
	return rates
}
