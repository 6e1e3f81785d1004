package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
)

// changes is the value of bench compare's -fail: comma-separated conditions on changes.
type changes struct{ limits.Conditions }

func (q *changes) Set(s string) error { return q.Add(s, parseChange) }

// parseChange parses a condition such as p99<10%.
func parseChange(s string) (q limits.Condition, err error) {
	m := limits.Pattern.FindStringSubmatch(s)
	if m == nil || !strings.HasSuffix(m[3], "%") {
		return q, fmt.Errorf("%q is not a condition on a change such as p99<10%% or rate>-5%%", s)
	}
	q = limits.Condition{Text: s, Name: m[1], Op: m[2], Share: true}
	q.Bound, err = strconv.ParseFloat(strings.TrimSuffix(m[3], "%"), 64)
	if err != nil || math.IsNaN(q.Bound) {
		return q, fmt.Errorf("%s: want a part such as 10%%", s)
	}
	return q, nil
}

// judge checks the conditions against the changes of figures. A condition on a figure that is not in both reports does
// not hold.
func (q *changes) judge(figures []figure) (list []report.Threshold) {
	for _, one := range q.Conditions {
		t := report.Threshold{Condition: one.Text, Value: "there is no such figure in both"}
		for _, f := range figures {
			if f.Key == one.Name {
				t.Value, t.Holds = signed(f.change()), one.Holds(100*f.change())
			}
		}
		list = append(list, t)
	}
	return list
}
