package main

import "fmt"

// full is the part of all processors from which on the generator is said to have been the bottleneck: threads that
// change places leave a little unused.
const full = 0.9

// behind is the part of the rate below which a run has not kept up.
const behind = 0.99

// pace says in plain words how the rate that was asked for was kept.
func (r *benchReport) pace() (list []finding) {
	if r.Rate == 0 || r.Elapsed <= 0 {
		return nil
	}
	due := r.Rate * r.Elapsed
	sent := max(0, due-float64(r.Unsent)) / r.Elapsed
	text := fmt.Sprintf("asked for %s/s, sent %s/s", ratePerSecond(r.Rate), ratePerSecond(sent))
	if sent < behind*r.Rate {
		text += ": this machine or the server is too slow"
	}
	list = append(list, finding{"pace", text})
	if r.Unsent > 0 {
		list = append(list, finding{"", counted(r.Unsent, r.what.one+" was", r.what.many+" were") + " due and never sent"})
	}
	if r.Late > 0 {
		list = append(list, finding{"", fmt.Sprintf("%s sent more than 10 ms late (%s)",
			counted(r.Late, r.what.one+" was", r.what.many+" were"), percent(r.Late, int64(due)-r.Unsent))})
	}
	return list
}

// costs say what the processors were used for.
func (r *benchReport) costs() (list []finding) {
	list = append(list, finding{"generator", r.cost(r.CPU, fmt.Sprintf(" of %d", r.processors))})
	if r.CPU.total() >= full*r.Elapsed*float64(r.processors) && r.Elapsed > 0 {
		list = append(list, finding{"", "it was the bottleneck: it used all it could, and the server may be able to do more"})
	}
	if t := r.Target; t != nil {
		list = append(list,
			finding{fmt.Sprintf("pid %d", t.PID), r.cost(benchCPU{t.User, t.System}, "")},
			finding{"", byteSize(t.RSS) + " resident at the end"})
		if n := t.UserInstructions + t.KernelInstructions; n > 0 && r.Requests > 0 {
			list = append(list, finding{"", fmt.Sprintf("%s instructions a %s (%s user, %s kernel)", grouped(n/r.Requests),
				r.what.one, grouped(t.UserInstructions/r.Requests), grouped(t.KernelInstructions/r.Requests))})
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
		each(c.total()), r.what.one, each(c.User), each(c.System), busy)
}
