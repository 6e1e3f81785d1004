package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// finding is a line of the report.
type finding struct{ Name, Text string }

// errorLine is a line of the report about one kind of error.
type errorLine struct{ Name, Count, Text string }

// headline describes the run.
func (r *benchReport) headline() string {
	s := counted(int64(r.Conns), "connection", "connections")
	switch {
	case r.streams() != nil:
		s += fmt.Sprintf(" of %s, %s at once on each", r.protocol(), counted(int64(r.Pipeline), "stream", "streams"))
	case r.OneWay != nil:
		s += ", one way"
		if r.Pipeline > 1 {
			s += fmt.Sprintf(", %s in a write", grouped(int64(r.Pipeline)))
		}
	case r.Pipeline > 1:
		s += fmt.Sprintf(", %d in flight on each", r.Pipeline)
	}
	if r.noun == messages {
		s += ", " + r.messageKind()
	} else if r.BodyBytes > 0 {
		s += fmt.Sprintf(", %s sent with each", byteSize(int64(r.BodyBytes)))
	}
	switch asked := r.asked.Seconds(); {
	case r.Elapsed == 0:
		return s + "; ended before counting began"
	case r.askedRequests > 0 && r.completed() >= r.askedRequests:
		return s + fmt.Sprintf("; %s in %s", counted(r.askedRequests, r.noun.one, r.noun.many), seconds(r.Elapsed))
	case r.askedRequests > 0:
		return s + fmt.Sprintf("; ended after %s of %s, in %s", grouped(r.completed()),
			counted(r.askedRequests, r.noun.one, r.noun.many), seconds(r.Elapsed))
	case r.Elapsed < 0.99*asked:
		return s + fmt.Sprintf("; ended after %s of %s", seconds(r.Elapsed), roundMicroseconds(1e6*asked))
	}
	return s + ", for " + seconds(r.Elapsed)
}

// completed returns how many of the requests that were sent were answered or failed.
func (r *benchReport) completed() int64 { return r.Requests + r.Errors.total() - r.Errors.Connect }

// errorLines lists the errors by kind.
func (r *benchReport) errorLines() (list []errorLine) {
	e := r.Errors
	for _, kind := range []struct {
		n          int64
		name, text string
	}{
		{e.Connect, "connect", r.connectErrorText()},
		{e.Protocol, "protocol", r.protocolErrorText()},
		{e.Status, "status", r.ifSame("the answer says 4xx or 5xx, or has another status than the first (-same)",
			"the answer says 4xx or 5xx")},
		{e.Length, "length", r.inWords(
			r.ifSame("the body is longer or shorter than the first (-same), or was cut short", "the body was cut short"),
			"the echo is longer or shorter than what was sent")},
		{e.Content, "content", "the echo is not what was sent"},
		{e.Closed, "closed", r.ifOneWay("the connection ended too early: what was sent on it may not have been read",
			"the connection ended before the answer did")},
		{e.Reset, "reset", r.streams().resetText()},
		{e.Timeout, "timeout", fmt.Sprintf(r.ifOneWay("not taken, or not read to the end, within %v (-timeout)",
			"no answer within %v (-timeout)"), r.timeout)},
	} {
		if kind.n > 0 {
			list = append(list, errorLine{kind.name, grouped(kind.n), kind.text})
		}
	}
	return append(list, r.outages()...)
}

// shownOutages is how many outages are listed individually.
const shownOutages = 5

// outages lists the times without a connection.
func (r *benchReport) outages() (list []errorLine) {
	for i, o := range r.Outages {
		if rest := len(r.Outages) - i; i == shownOutages && rest > 1 {
			return append(list, errorLine{"outages", grouped(int64(rest)), "more of them"})
		}
		list = append(list, errorLine{"outage", seconds(o.To - o.From), fmt.Sprintf("nothing could be connected from %s to %s: %s of %s",
			tenths(o.From), tenths(o.To), tenths(o.To-o.From), tenths(r.Elapsed))})
	}
	return list
}

// tenths formats seconds with at most one decimal.
func tenths(s float64) string { return trimZeros(fmt.Sprintf("%.1f", s)) + " s" }

// silences returns the seconds in which connections were open but neither responses nor errors came. It returns nil if
// the expected rate is so low that such seconds are normal.
func (r *benchReport) silences() (list []benchOutage) {
	const slow, few = 0.2e6, 5 // median in µs and rate per second for which a second without responses is normal
	if r.Latency.P50 > slow || r.Requests == 0 || r.Rate > 0 && r.Rate < few {
		return nil
	}
	began := 0.0
	for _, s := range r.fullSeconds() {
		if s.Requests+s.Errors == 0 && s.Open > 0 && s.At-began > 0.5 {
			if n := len(list); n > 0 && list[n-1].To == began {
				list[n-1].To = s.At
			} else {
				list = append(list, benchOutage{began, s.At})
			}
		}
		began = s.At
	}
	return list
}

// outageSeconds returns the total time without any connection.
func (r *benchReport) outageSeconds() (s float64) {
	for _, o := range r.Outages {
		s += o.To - o.From
	}
	return s
}

// findings returns the lines about what was done.
func (r *benchReport) findings() (list []finding) {
	say := func(name, format string, args ...any) {
		list = append(list, finding{name, fmt.Sprintf(format, args...)})
	}
	rate := fmt.Sprintf("%s %s/s", ratePerSecond(r.PerSecond), r.noun.many)
	if r.Elapsed > 0 {
		rate += " over " + seconds(r.Elapsed)
	}
	if without := r.outageSeconds(); without > 0 {
		rate += fmt.Sprintf(", of which %s without a connection", seconds(without))
	}
	say("rate", "%s", rate)
	say(r.noun.many, "%s", r.outcome())
	if len(r.Statuses) > 1 || r.Errors.Status > 0 {
		say("statuses", "%s", r.statusCounts())
	}
	for _, s := range r.silences() {
		say("silence", "nothing %s from %s to %s, although connections were open", r.ifOneWay("has left", "was answered"),
			tenths(s.From), tenths(s.To))
	}
	list = append(list, r.aboutStreams()...)
	say("received", "%s, %s", byteSize(r.BytesIn), r.perSecondAndRequest(r.BytesIn))
	say("sent", "%s, %s", byteSize(r.BytesOut), r.perSecondAndRequest(r.BytesOut))
	connecting := "took " + seconds(r.Connecting)
	if r.Reconnects > 0 {
		connecting += fmt.Sprintf("; %s in good order and opened again",
			counted(r.Reconnects, "connection was closed by the server", "connections were closed by the server"))
	}
	say("connecting", "%s", connecting)
	return list
}

// outcome describes what happened to the requests.
func (r *benchReport) outcome() string {
	s := grouped(r.Requests) + r.ifOneWay(" have left", r.inWords(" answered as expected", " echoed as they were sent"))
	if r.OneWay != nil {
		s += "; " + r.OneWay.confirmation(r.Errors.total() == 0)
	}
	if r.Unanswered > 0 {
		s += fmt.Sprintf(", %s in flight at the end", grouped(r.Unanswered))
	}
	return s
}

func (r *benchReport) statusCounts() string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.Statuses)) {
		parts = append(parts, fmt.Sprintf("%s × %d", grouped(r.Statuses[code]), code))
	}
	return strings.Join(parts, ", ")
}

func (r *benchReport) perSecondAndRequest(n int64) string {
	s := byteSize(int64(perSecond(n, r.Elapsed))) + "/s"
	if r.Requests > 0 && r.Errors.total() == 0 {
		s += fmt.Sprintf(", %s a %s", byteSize(n/r.Requests), r.noun.one)
	}
	return s
}

// percentile is a cell of the latency table.
type percentile struct {
	Name string
	US   float64
}

func (r *benchReport) percentiles() []percentile {
	l := r.Latency
	return []percentile{
		{"min", l.Min}, {"p50", l.P50}, {"p75", l.P75}, {"p90", l.P90}, {"p99", l.P99}, {"p99.9", l.P999}, {"p99.99", l.P9999},
		{"max", l.Max}, {"mean", l.Mean}, {"stdev", l.Stdev},
	}
}
