package findings

import (
	"fmt"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// saturated is the CPU usage, as a fraction of all processors, from which on the load generator counts as the
// bottleneck. It is below 1 because some time is lost when threads are scheduled.
const saturated = 0.9

// keptUp is the fraction of the requested rate below which a run has not kept up.
const keptUp = 0.99

// Pace reports how well the requested rate was kept.
func Pace(r *report.Report) (list []Line) {
	if r.Rate == 0 || r.Elapsed <= 0 {
		return nil
	}
	due := r.Rate * r.Elapsed
	sent := max(0, due-float64(r.Unsent)) / r.Elapsed
	text := fmt.Sprintf("asked for %s/s, sent %s/s", figures.RatePerSecond(r.Rate), figures.RatePerSecond(sent))
	if sent < keptUp*r.Rate {
		text += ": this machine or the server is too slow"
	}
	list = append(list, Line{"pace", text})
	if r.Unsent > 0 {
		list = append(list, Line{"", figures.Counted(r.Unsent, r.Noun.One+" was", r.Noun.Many+" were") + " due and never sent"})
	}
	if r.Late > 0 {
		list = append(list, Line{"", fmt.Sprintf("%s sent more than 10 ms late (%s)",
			figures.Counted(r.Late, r.Noun.One+" was", r.Noun.Many+" were"), figures.Percent(r.Late, int64(due)-r.Unsent))})
	}
	return list
}

// Costs reports the CPU usage.
func Costs(r *report.Report) (list []Line) {
	list = append(list, Line{"generator", cost(r, r.CPU, fmt.Sprintf(" of %d", r.Processors))})
	if r.CPU.Total() >= saturated*r.Elapsed*float64(r.Processors) && r.Elapsed > 0 {
		list = append(list, Line{"", "it was the bottleneck: it used all it could, and the server may be able to do more"})
	}
	if t := r.Target; t != nil {
		list = append(list,
			Line{fmt.Sprintf("pid %d", t.PID), cost(r, report.CPU{User: t.User, System: t.System}, "")},
			Line{"", figures.ByteSize(t.RSS) + " resident at the end"})
		if n := t.UserInstructions + t.KernelInstructions; n > 0 && r.Requests > 0 {
			list = append(list, Line{"", fmt.Sprintf("%s instructions a %s (%s user, %s kernel)", figures.Grouped(n/r.Requests),
				r.Noun.One, figures.Grouped(t.UserInstructions/r.Requests), figures.Grouped(t.KernelInstructions/r.Requests))})
		}
	}
	return list
}

func cost(r *report.Report, c report.CPU, of string) string {
	busy := fmt.Sprintf("%.2f%s processors busy", c.Total()/max(r.Elapsed, 1e-9), of)
	if r.Requests == 0 {
		return busy
	}
	each := func(s float64) string { return figures.Seconds(s / float64(r.Requests)) }
	return fmt.Sprintf("%s of CPU a %s (%s user, %s system), %s",
		each(c.Total()), r.Noun.One, each(c.User), each(c.System), busy)
}
