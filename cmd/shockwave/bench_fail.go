package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// requirement is one condition of -fail.
type requirement struct {
	text  string // as it was given
	name  string // name of the figure
	op    string // "<", "<=", ">" or ">="
	bound float64
	share bool // bound is a percentage
}

// requirements is the value of -fail: comma-separated conditions.
type requirements []requirement

func (q *requirements) String() string { return strings.Join(q.each(), ",") }

func (q *requirements) each() (all []string) {
	for _, one := range *q {
		all = append(all, one.text)
	}
	return all
}

func (q *requirements) Set(s string) error { return q.add(s, parseRequirement) }

func (q *requirements) add(s string, parse func(string) (requirement, error)) error {
	for text := range strings.SplitSeq(s, ",") {
		one, err := parse(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return err
		}
		*q = append(*q, one)
	}
	return nil
}

// condition matches a figure's name, an operator and a bound.
var condition = regexp.MustCompile(`^(p[0-9]{1,2}(?:\.[0-9]+)?|[a-z]+)(<=|>=|<|>)(.+)$`)

// parseRequirement parses a condition on the figures of a run.
func parseRequirement(s string) (q requirement, err error) {
	m := condition.FindStringSubmatch(s)
	if m == nil {
		return q, fmt.Errorf("%q is no condition such as p99<20ms or errors<0.1%%", s)
	}
	q = requirement{text: s, name: m[1], op: m[2]}
	switch bound := m[3]; {
	case q.isLatency():
		d, wrong := time.ParseDuration(bound)
		if q.bound = micros(int64(d)); wrong != nil || d < 0 {
			err = fmt.Errorf("%s: want a time such as 20ms or 1.5s", s)
		}
	case q.name == "errors" && strings.HasSuffix(bound, "%"):
		q.share = true
		if q.bound, err = strconv.ParseFloat(strings.TrimSuffix(bound, "%"), 64); err != nil || !(q.bound >= 0 && q.bound <= 100) {
			err = fmt.Errorf("%s: want a part such as 0.1%%", s)
		}
	case q.name == "errors" || q.name == "rate" || q.name == "requests":
		if q.bound, err = thousands(bound); err != nil {
			err = fmt.Errorf("%s: want a number such as 250 or 10k", s)
		}
	default:
		err = fmt.Errorf("%s: there is no figure %q", s, q.name)
	}
	return q, err
}

// isLatency reports whether the figure is a latency.
func (q *requirement) isLatency() bool {
	switch q.name {
	case "min", "mean", "stdev", "max":
		return true
	}
	return q.percentile() >= 0
}

// percentile returns the number in a name such as p99.9, or -1 if the name is not a percentile.
func (q *requirement) percentile() float64 {
	p, err := strconv.ParseFloat(strings.TrimPrefix(q.name, "p"), 64)
	if err != nil || q.name[0] != 'p' {
		return -1
	}
	return p
}

// holds reports whether value satisfies the condition.
func (q *requirement) holds(value float64) bool {
	switch q.op {
	case "<":
		return value < q.bound
	case "<=":
		return value <= q.bound
	case ">":
		return value > q.bound
	}
	return value >= q.bound
}

// benchThreshold is a condition of -fail and its result.
type benchThreshold struct {
	Condition string `json:"condition"`
	Value     string `json:"value"` // formatted
	Holds     bool   `json:"holds"`
}

// judge checks the conditions of -fail against the figures. Without any response no condition on a latency holds.
func (r *benchReport) judge(all requirements) {
	for _, q := range all {
		t := benchThreshold{Condition: q.text}
		switch wrong := r.Errors.total(); {
		case q.isLatency() && r.Latency.Max == 0:
			t.Value = "nothing was answered"
		case q.isLatency():
			us := r.latencyCalled(&q)
			t.Value, t.Holds = microseconds(us), q.holds(us)
		case q.name == "errors" && q.share:
			t.Value = fmt.Sprintf("%s of %s", grouped(wrong), grouped(wrong+r.Requests))
			t.Holds = q.holds(100 * float64(wrong) / float64(max(1, wrong+r.Requests)))
		case q.name == "errors":
			t.Value, t.Holds = grouped(wrong), q.holds(float64(wrong))
		case q.name == "rate":
			t.Value, t.Holds = ratePerSecond(r.PerSecond)+"/s", q.holds(r.PerSecond)
		default:
			t.Value, t.Holds = grouped(r.Requests), q.holds(float64(r.Requests))
		}
		r.toleratesErrors = r.toleratesErrors || q.name == "errors"
		r.Thresholds = append(r.Thresholds, t)
	}
}

// latencyCalled returns the latency that q is about, in microseconds.
func (r *benchReport) latencyCalled(q *requirement) float64 {
	switch q.name {
	case "min":
		return r.Latency.Min
	case "mean":
		return r.Latency.Mean
	case "stdev":
		return r.Latency.Stdev
	case "max":
		return r.Latency.Max
	}
	return micros(r.values.ValueAtQuantile(q.percentile()))
}

// failed returns an error that lists the conditions which do not hold, or nil if all do.
func failed(thresholds []benchThreshold) error {
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

// thresholds returns the lines of the report about -fail.
func thresholds(all []benchThreshold) (list []finding) {
	for _, t := range all {
		word := "holds: "
		if !t.Holds {
			word = "FAILED: "
		}
		list = append(list, finding{t.Condition, word + t.Value})
	}
	return list
}
