package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// benchCompare compares the reports of two runs, which -json has written.
func benchCompare(args []string, con console) error {
	set := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	var fail changes
	set.Var(&fail, "fail", "fail unless all of these `CONDITIONS` on B's change hold, such as 'p99<10%,rate>-5%'; the figures are those\n"+
		"of the first column, in one word: rate, p50, p99, max, errors, server, memory")
	files, err := parseAround(set, args, con)
	if err != nil {
		return err
	}
	if len(files) != 2 {
		return usageError{fmt.Sprintf("bench compare: it takes two files that bench -json has written, A.json B.json, not %d", len(files))}
	}
	var c comparison
	for i, name := range files {
		if c[i].benchReport, err = readReport(name); err != nil {
			return err
		}
		c[i].file = name
	}
	judged := fail.judge(c.figures())
	if err := c.writeText(con.out, judged, onTerminal(con.out)); err != nil {
		return err
	}
	return failed(judged)
}

// readReport reads a report that -json has written.
func readReport(name string) (*benchReport, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(b, []byte("[")) {
		return nil, fmt.Errorf("%s holds the reports of several runs; one of them is compared with one", name)
	}
	r := &benchReport{benchRun: benchRun{noun: requests}}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Version == "" || r.URL == "" {
		return nil, fmt.Errorf("%s is no report that bench -json has written", name)
	}
	if u, err := url.Parse(r.URL); err == nil && carriesMessages(u) {
		r.noun = messages
	}
	return r, nil
}

// comparison holds the two runs to compare, A and B.
type comparison [2]struct {
	*benchReport
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
	a, b := c[0].benchReport, c[1].benchReport
	of := func(f func(r *benchReport) float64) [2]float64 { return [2]float64{f(a), f(b)} }
	list := []figure{{
		"rate", "rate", of(func(r *benchReport) float64 { return r.PerSecond }), func(v float64) string { return ratePerSecond(v) + "/s" },
		true, [2][]float64{a.rates(), b.rates()},
	}}
	for i, p := range a.percentiles() {
		q := b.percentiles()[i]
		list = append(list, figure{"latency " + p.Name, p.Name, [2]float64{p.US, q.US}, microseconds, false, c.seconds(p.Name)})
	}
	if a.Parts.FirstByte != nil && b.Parts.FirstByte != nil {
		list = append(list, figure{"first byte p50", "first", of(func(r *benchReport) float64 { return r.Parts.FirstByte.P50 }),
			microseconds, false, [2][]float64{}})
	}
	plain := func(name, key string, show func(float64) string, f func(r *benchReport) float64) {
		list = append(list, figure{name, key, of(f), show, false, [2][]float64{}})
	}
	plain("errors", "errors", ratePerSecond, func(r *benchReport) float64 { return float64(r.Errors.total()) })
	plain("no connection", "outage", seconds, (*benchReport).outageSeconds)
	one := a.noun.one
	plain("received a "+one, "received", size, func(r *benchReport) float64 { return perRequest(float64(r.BytesIn), r) })
	plain("generator a "+one, "generator", seconds, func(r *benchReport) float64 { return perRequest(r.CPU.total(), r) })
	if a.Target != nil && b.Target != nil {
		plain("server a "+one, "server", seconds, func(r *benchReport) float64 { return perRequest(r.Target.User+r.Target.System, r) })
		plain("server's memory", "memory", size, func(r *benchReport) float64 { return float64(r.Target.RSS) })
	}
	return list
}

func size(v float64) string { return byteSize(int64(math.Round(v))) }

func perRequest(v float64, r *benchReport) float64 { return v / float64(max(1, r.Requests)) }

// seconds returns the latencies of each second, as far as the reports have them.
func (c *comparison) seconds(percentile string) (samples [2][]float64) {
	for i := range c {
		for _, s := range c[i].fullSeconds() {
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

// writeText writes the comparison as text.
func (c *comparison) writeText(w io.Writer, judged []benchThreshold, terminal bool) error {
	p := &textReport{color: terminal}
	for i, r := range c {
		title := r.Title
		if title == "" {
			title = r.file
		}
		p.line("%s  %s: %s%s", p.bold(string(rune('A'+i))), title, r.target(), r.others())
		p.line("   %s for %s, on %s by %s", counted(int64(r.Conns), "connection", "connections"), seconds(r.Elapsed),
			r.Date.Format("2006-01-02 15:04 MST"), r.Version)
		for _, note := range r.Notes {
			p.line("   %s", note)
		}
	}
	if differences := c.differences(); differences != nil {
		p.line("")
		p.line("  %s", p.red("The runs were not the same: "+strings.Join(differences, "; ")))
	}
	p.line("")
	const name, column = 24, 14
	p.line("  %s", p.dim(padRight("", name)+padLeft("A", column)+padLeft("B", column)+padLeft("change", column)))
	for _, f := range c.figures() {
		line := padRight(f.Name, name) + padLeft(f.show(f.values[0]), column) + padLeft(f.show(f.values[1]), column) +
			padLeft(signed(f.change()), column)
		if verdict := f.verdict(); verdict != "" {
			line += "  " + p.colored(verdict)
		}
		p.line("  %s", line)
	}
	p.line("")
	p.line("  %s", p.dim("p is how likely seconds of one and the same run would differ as much (Mann and Whitney's test)."))
	if judged != nil {
		p.line("")
		p.list(thresholds(judged))
	}
	_, err := w.Write(p.Bytes())
	return err
}

// colored returns a verdict in the color for what it says.
func (p *textReport) colored(verdict string) string {
	switch {
	case strings.HasPrefix(verdict, "worse"):
		return p.red(verdict)
	case strings.HasPrefix(verdict, "better"):
		return p.style("1;32", verdict)
	}
	return p.dim(verdict)
}

// differences returns the settings in which the runs differ.
func (c *comparison) differences() (list []string) {
	a, b := c[0].benchReport, c[1].benchReport
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
	differ("protocol", a.protocol(), b.protocol())
	differ("URLs", max(1, len(a.URLs)), max(1, len(b.URLs)))
	differ("measured", a.noun.many, b.noun.many)
	return list
}

// changes is the value of bench compare's -fail: comma-separated conditions on changes.
type changes struct{ requirements }

func (q *changes) Set(s string) error { return q.add(s, parseChange) }

// parseChange parses a condition such as p99<10%.
func parseChange(s string) (q requirement, err error) {
	m := condition.FindStringSubmatch(s)
	if m == nil || !strings.HasSuffix(m[3], "%") {
		return q, fmt.Errorf("%q is no condition on a change such as p99<10%% or rate>-5%%", s)
	}
	q = requirement{text: s, name: m[1], op: m[2], share: true}
	q.bound, err = strconv.ParseFloat(strings.TrimSuffix(m[3], "%"), 64)
	if err != nil || math.IsNaN(q.bound) {
		return q, fmt.Errorf("%s: want a part such as 10%%", s)
	}
	return q, nil
}

// judge checks the conditions against the changes of figures. A condition on a figure that is not in both reports does
// not hold.
func (q *changes) judge(figures []figure) (list []benchThreshold) {
	for _, one := range q.requirements {
		t := benchThreshold{Condition: one.text, Value: "there is no such figure in both"}
		for _, f := range figures {
			if f.Key == one.name {
				t.Value, t.Holds = signed(f.change()), one.holds(100*f.change())
			}
		}
		list = append(list, t)
	}
	return list
}
