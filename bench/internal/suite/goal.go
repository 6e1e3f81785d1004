package suite

import (
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Goal is what a figure of ours should reach: a floor, which it must reach, and a goal, which we work towards.
type Goal struct {
	Title    string
	Scenario string
	Metric   string
	Unit     string // unit of an absolute figure
	Peer     string
	Against  string   // the peer whose figure it is divided by; "" for an absolute figure
	More     bool     // larger is better
	Floor    *float64 // nil: no floor
	Goal     float64
}

// Verdict is how far a goal is reached.
type Verdict string

// The verdicts.
const (
	Reached    Verdict = "goal met"
	AboveFloor Verdict = "floor met"
	Missed     Verdict = "**floor missed**"
	NotReached Verdict = "goal missed" // for a goal without a floor
	Unknown    Verdict = "not measured"
)

// Judge returns the figure that the goal is about, and the verdict on it.
func (g *Goal) Judge(f *result.File) (result.Summary, Verdict) {
	s := f.Find(g.Scenario)
	if s == nil {
		return result.Summary{}, Unknown
	}
	figure := s.Of(g.Peer, g.Metric)
	if g.Against != "" {
		figure = s.Ratio(g.Peer, g.Against, g.Metric)
	}
	switch {
	case figure.N == 0:
		return figure, Unknown
	case g.reaches(figure.Median, g.Goal):
		return figure, Reached
	case g.Floor == nil:
		return figure, NotReached
	case g.reaches(figure.Median, *g.Floor):
		return figure, AboveFloor
	}
	return figure, Missed
}

func (g *Goal) reaches(figure, limit float64) bool {
	if g.More {
		return figure >= limit
	}
	return figure <= limit
}

// Limit formats a floor or a goal, with its sign and unit.
func (g *Goal) Limit(v float64) string {
	sign := "≤"
	if g.More {
		sign = "≥"
	}
	if g.Against != "" {
		return fmt.Sprintf("%s %.2f", sign, v)
	}
	return sign + " " + Number(v) + g.Suffix()
}

// Number formats a figure that the goal is about, without its unit. A ratio has one digit more than a limit, to show on
// which side of the limit it lies.
func (g *Goal) Number(v float64) string {
	if g.Against != "" {
		return fmt.Sprintf("%.3f", v)
	}
	return Number(v)
}

// Suffix returns the unit as it follows a figure, "" for a ratio.
func (g *Goal) Suffix() string {
	if g.Unit == "" || g.Against != "" {
		return ""
	}
	return " " + g.Unit
}
