package limits

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Condition is one condition of -fail.
type Condition struct {
	Text  string // as it was given
	Name  string // name of the figure
	Op    string // "<", "<=", ">" or ">="
	Bound float64
	Share bool // bound is a percentage
}

// Conditions is the value of -fail: comma-separated conditions.
type Conditions []Condition

// String implements flag.Value.
func (q *Conditions) String() string { return strings.Join(q.Each(), ",") }

// Each returns the conditions as they were given.
func (q *Conditions) Each() (all []string) {
	for _, one := range *q {
		all = append(all, one.Text)
	}
	return all
}

// Set implements flag.Value.
func (q *Conditions) Set(s string) error { return q.Add(s, parse) }

// Add adds conditions with commas between them, which parse understands.
func (q *Conditions) Add(s string, parse func(string) (Condition, error)) error {
	for text := range strings.SplitSeq(s, ",") {
		one, err := parse(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return err
		}
		*q = append(*q, one)
	}
	return nil
}

// Pattern matches a figure's name, an operator and a bound.
var Pattern = regexp.MustCompile(`^(p[0-9]{1,2}(?:\.[0-9]+)?|[a-z]+)(<=|>=|<|>)(.+)$`)

// parse parses a condition on the figures of a run.
func parse(s string) (q Condition, err error) {
	m := Pattern.FindStringSubmatch(s)
	if m == nil {
		return q, fmt.Errorf("%q is not a condition such as p99<20ms or errors<0.1%%", s)
	}
	q = Condition{Text: s, Name: m[1], Op: m[2]}
	switch bound := m[3]; {
	case q.isLatency():
		d, wrong := time.ParseDuration(bound)
		if q.Bound = report.Micros(int64(d)); wrong != nil || d < 0 {
			err = fmt.Errorf("%s: want a time such as 20ms or 1.5s", s)
		}
	case q.Name == "errors" && strings.HasSuffix(bound, "%"):
		q.Share = true
		if q.Bound, err = strconv.ParseFloat(strings.TrimSuffix(bound, "%"), 64); err != nil || !(q.Bound >= 0 && q.Bound <= 100) {
			err = fmt.Errorf("%s: want a part such as 0.1%%", s)
		}
	case q.Name == "errors" || q.Name == "rate" || q.Name == "requests":
		if q.Bound, err = cli.Thousands(bound); err != nil {
			err = fmt.Errorf("%s: want a number such as 250 or 10k", s)
		}
	default:
		err = fmt.Errorf("%s: there is no figure %q", s, q.Name)
	}
	return q, err
}

// isLatency reports whether the figure is a latency.
func (q *Condition) isLatency() bool {
	switch q.Name {
	case "min", "mean", "stdev", "max":
		return true
	}
	return q.percentile() >= 0
}

// percentile returns the number in a name such as p99.9, or -1 if the name is not a percentile.
func (q *Condition) percentile() float64 {
	p, err := strconv.ParseFloat(strings.TrimPrefix(q.Name, "p"), 64)
	if err != nil || q.Name[0] != 'p' {
		return -1
	}
	return p
}

// Holds reports whether value satisfies the condition.
func (q *Condition) Holds(value float64) bool {
	switch q.Op {
	case "<":
		return value < q.Bound
	case "<=":
		return value <= q.Bound
	case ">":
		return value > q.Bound
	}
	return value >= q.Bound
}

// Judge checks the conditions of -fail against the figures. Without any response no condition on a latency holds.
func Judge(r *report.Report, all Conditions) {
	for _, q := range all {
		t := report.Threshold{Condition: q.Text}
		switch wrong := r.Errors.Total(); {
		case q.isLatency() && r.Latency.Max == 0:
			t.Value = "nothing was answered"
		case q.isLatency():
			us := latencyCalled(r, &q)
			t.Value, t.Holds = figures.Microseconds(us), q.Holds(us)
		case q.Name == "errors" && q.Share:
			t.Value = fmt.Sprintf("%s of %s", figures.Grouped(wrong), figures.Grouped(wrong+r.Requests))
			t.Holds = q.Holds(100 * float64(wrong) / float64(max(1, wrong+r.Requests)))
		case q.Name == "errors":
			t.Value, t.Holds = figures.Grouped(wrong), q.Holds(float64(wrong))
		case q.Name == "rate":
			t.Value, t.Holds = figures.RatePerSecond(r.PerSecond)+"/s", q.Holds(r.PerSecond)
		default:
			t.Value, t.Holds = figures.Grouped(r.Requests), q.Holds(float64(r.Requests))
		}
		r.ToleratesErrors = r.ToleratesErrors || q.Name == "errors"
		r.Thresholds = append(r.Thresholds, t)
	}
}

// latencyCalled returns the latency that q is about, in microseconds.
func latencyCalled(r *report.Report, q *Condition) float64 {
	switch q.Name {
	case "min":
		return r.Latency.Min
	case "mean":
		return r.Latency.Mean
	case "stdev":
		return r.Latency.Stdev
	case "max":
		return r.Latency.Max
	}
	return report.Micros(r.Values.ValueAtQuantile(q.percentile()))
}

// Failed returns an error that lists the conditions which do not hold, or nil if all do.
func Failed(thresholds []report.Threshold) error {
	var broken []string
	for _, t := range thresholds {
		if !t.Holds {
			broken = append(broken, fmt.Sprintf("%s does not hold: %s", t.Condition, t.Value))
		}
	}
	if broken == nil {
		return nil
	}
	return errors.New(strings.Join(broken, "; "))
}
