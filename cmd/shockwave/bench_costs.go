package main

import "fmt"

// saturated is the CPU usage, as a fraction of all processors, from which on the load generator counts as the
// bottleneck. It is below 1 because some time is lost when threads are scheduled.
const saturated = 0.9

// keptUp is the fraction of the requested rate below which a run has not kept up.
const keptUp = 0.99

// pace reports how well the requested rate was kept.
func (r *benchReport) pace() (list []finding) {
	if r.Rate == 0 || r.Elapsed <= 0 {
		return nil
	}
	due := r.Rate * r.Elapsed
	sent := max(0, due-float64(r.Unsent)) / r.Elapsed
	text := fmt.Sprintf("asked for %s/s, sent %s/s", ratePerSecond(r.Rate), ratePerSecond(sent))
	if sent < keptUp*r.Rate {
		text += ": this machine or the server is too slow"
	}
	list = append(list, finding{"pace", text})
	if r.Unsent > 0 {
		list = append(list, finding{"", counted(r.Unsent, r.noun.one+" was", r.noun.many+" were") + " due and never sent"})
	}
	if r.Late > 0 {
		list = append(list, finding{"", fmt.Sprintf("%s sent more than 10 ms late (%s)",
			counted(r.Late, r.noun.one+" was", r.noun.many+" were"), percent(r.Late, int64(due)-r.Unsent))})
	}
	return list
}

// costs reports the CPU usage.
func (r *benchReport) costs() (list []finding) {
	list = append(list, finding{"generator", r.cost(r.CPU, fmt.Sprintf(" of %d", r.processors))})
	if r.CPU.total() >= saturated*r.Elapsed*float64(r.processors) && r.Elapsed > 0 {
		list = append(list, finding{"", "it was the bottleneck: it used all it could, and the server may be able to do more"})
	}
	if t := r.Target; t != nil {
		list = append(list,
			finding{fmt.Sprintf("pid %d", t.PID), r.cost(benchCPU{t.User, t.System}, "")},
			finding{"", byteSize(t.RSS) + " resident at the end"})
		if n := t.UserInstructions + t.KernelInstructions; n > 0 && r.Requests > 0 {
			list = append(list, finding{"", fmt.Sprintf("%s instructions a %s (%s user, %s kernel)", grouped(n/r.Requests),
				r.noun.one, grouped(t.UserInstructions/r.Requests), grouped(t.KernelInstructions/r.Requests))})
		}
	}
	return list
}

func (r *benchReport) cost(c benchCPU, of string) string {
	busy := fmt.Sprintf("%.2f%s processors busy", c.total()/max(r.Elapsed, 1e-9), of)
	if r.Requests == 0 {
		return busy
	}
	each := func(s float64) string { return seconds(s / float64(r.Requests)) }
	return fmt.Sprintf("%s of CPU a %s (%s user, %s system), %s",
		each(c.total()), r.noun.one, each(c.User), each(c.System), busy)
}
