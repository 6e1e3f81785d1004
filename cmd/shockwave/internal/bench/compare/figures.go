package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// comparison holds the two runs to compare, A and B.
type comparison [2]struct {
	*report.Report
	file string
}

// figure is a row of the comparison.
type figure struct {
	Name, Key      string // Key is the name for -fail
	values         [2]float64
	show           func(float64) string
	higherIsBetter bool         // more is better
	samples        [2][]float64 // one value per second; nil if they are not comparable
}

// figures returns the figures that both runs have.
func (c *comparison) figures() []figure {
	a, b := c[0].Report, c[1].Report
	of := func(f func(r *report.Report) float64) [2]float64 { return [2]float64{f(a), f(b)} }
	list := []figure{{
		"rate", "rate", of(func(r *report.Report) float64 { return r.PerSecond }), func(v float64) string { return figures.RatePerSecond(v) + "/s" },
		true, [2][]float64{a.Rates(), b.Rates()},
	}}
	for i, p := range a.Percentiles() {
		q := b.Percentiles()[i]
		list = append(list, figure{"latency " + p.Name, p.Name, [2]float64{p.US, q.US}, figures.Microseconds, false, c.seconds(p.Name)})
	}
	if a.Parts.FirstByte != nil && b.Parts.FirstByte != nil {
		list = append(list, figure{"first byte p50", "first", of(func(r *report.Report) float64 { return r.Parts.FirstByte.P50 }),
			figures.Microseconds, false, [2][]float64{}})
	}
	plain := func(name, key string, show func(float64) string, f func(r *report.Report) float64) {
		list = append(list, figure{name, key, of(f), show, false, [2][]float64{}})
	}
	plain("errors", "errors", figures.RatePerSecond, func(r *report.Report) float64 { return float64(r.Errors.Total()) })
	plain("no connection", "outage", figures.Seconds, (*report.Report).OutageSeconds)
	one := a.Noun.One
	plain("received a "+one, "received", size, func(r *report.Report) float64 { return report.PerRequest(float64(r.BytesIn), r) })
	plain("generator a "+one, "generator", figures.Seconds, func(r *report.Report) float64 { return report.PerRequest(r.CPU.Total(), r) })
	if a.Target != nil && b.Target != nil {
		plain("server a "+one, "server", figures.Seconds, func(r *report.Report) float64 { return report.PerRequest(r.Target.User+r.Target.System, r) })
		plain("server's memory", "memory", size, func(r *report.Report) float64 { return float64(r.Target.RSS) })
	}
	return list
}

func size(v float64) string { return figures.ByteSize(int64(math.Round(v))) }

// seconds returns the latencies of each second, as far as the reports have them.
func (c *comparison) seconds(percentile string) (samples [2][]float64) {
	for i := range c {
		for _, s := range c[i].FullSeconds() {
			switch {
			case s.Requests == 0:
			case percentile == "p50":
				samples[i] = append(samples[i], s.P50)
			case percentile == "p99":
				samples[i] = append(samples[i], s.P99)
			}
		}
	}
	return samples
}

// change returns B/A - 1, or NaN if A is 0.
func (f *figure) change() float64 {
	a, b := f.values[0], f.values[1]
	if a == b {
		return 0
	}
	if a == 0 {
		return math.NaN()
	}
	return b/a - 1
}

// significance is the level of the test: a p value of 0.05 or more means that the difference may be chance.
const significance = 0.05

// verdict describes the change in a word or two.
func (f *figure) verdict() string {
	if f.values[0] == f.values[1] {
		return ""
	}
	word := "worse"
	if f.values[1] > f.values[0] == f.higherIsBetter {
		word = "better"
	}
	switch {
	case f.Key == "errors" || f.Key == "outage": // no statistics needed
		return word
	case f.samples[0] == nil && f.samples[1] == nil:
		return ""
	}
	p := mannWhitney(f.samples[0], f.samples[1])
	switch {
	case math.IsNaN(p):
		return "too few seconds to tell"
	case p >= significance:
		return fmt.Sprintf("may be chance (p=%.2f)", p)
	case p < 0.001:
		return word + " (p<0.001)"
	}
	return fmt.Sprintf("%s (p=%.3f)", word, p)
}

// signed formats a change in percent.
func signed(change float64) string {
	if math.IsNaN(change) {
		return "from none"
	}
	return strings.Replace(fmt.Sprintf("%+.1f %%", 100*change), "-", "−", 1)
}

// differences returns the settings in which the runs differ.
func (c *comparison) differences() (list []string) {
	a, b := c[0].Report, c[1].Report
	differ := func(name string, x, y any) {
		if x != y {
			list = append(list, fmt.Sprintf("%s %v and %v", name, x, y))
		}
	}
	differ("method", a.Method, b.Method)
	differ("connections", a.Conns, b.Conns)
	differ("pipeline", a.Pipeline, b.Pipeline)
	differ("rate", a.Rate, b.Rate)
	differ("body bytes", a.BodyBytes, b.BodyBytes)
	differ("protocol", a.Protocol(), b.Protocol())
	differ("URLs", max(1, len(a.URLs)), max(1, len(b.URLs)))
	differ("measured", a.Noun.Many, b.Noun.Many)
	return list
}
