package suite

import (
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Goal is what a figure of ours should reach: the floor that it must not fall short of, and the goal that we work for.
type Goal struct {
	Title    string
	Scenario string
	Metric   string
	Unit     string // of an absolute figure
	Peer     string
	Against  string // the peer whose figure it is divided by; "" for an absolute figure
	More     bool   // more is better
	Floor    *float64
	Goal     float64
}

// Verdict is how far a goal is reached.
type Verdict string

// The verdicts.
const (
	Reached    Verdict = "goal met"
	AboveFloor Verdict = "floor met"
	Missed     Verdict = "**floor missed**"
	NotReached Verdict = "goal missed" // of a goal without a floor
	Unknown    Verdict = "not measured"
)

// Judge returns the figure that the goal is about and how far it reaches.
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

// Limit prints a floor or a goal.
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

// Number prints a figure that the goal is about, without its unit. A ratio has one digit more than a limit, so that it is
// plain on which side of it the ratio lies.
func (g *Goal) Number(v float64) string {
	if g.Against != "" {
		return fmt.Sprintf("%.3f", v)
	}
	return Number(v)
}

// Suffix is the unit as it follows a figure. A ratio has none.
func (g *Goal) Suffix() string {
	if g.Unit == "" || g.Against != "" {
		return ""
	}
	return " " + g.Unit
}
