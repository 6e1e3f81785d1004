package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Headline describes the run.
func Headline(r *report.Report) string {
	s := figures.Counted(int64(r.Conns), "connection", "connections")
	switch {
	case r.Streams() != nil:
		s += fmt.Sprintf(" of %s, %s at once on each", r.Protocol(), figures.Counted(int64(r.Pipeline), "stream", "streams"))
	case r.OneWay != nil:
		s += ", one way"
		if r.Pipeline > 1 {
			s += fmt.Sprintf(", %s in a write", figures.Grouped(int64(r.Pipeline)))
		}
	case r.Pipeline > 1:
		s += fmt.Sprintf(", %d in flight on each", r.Pipeline)
	}
	if r.Noun == report.Messages {
		s += ", " + messageKind(r)
	} else if r.BodyBytes > 0 {
		s += fmt.Sprintf(", %s sent with each", figures.ByteSize(int64(r.BodyBytes)))
	}
	switch asked := r.Asked.Seconds(); {
	case r.Elapsed == 0:
		return s + "; ended before counting began"
	case r.AskedRequests > 0 && r.Completed() >= r.AskedRequests:
		return s + fmt.Sprintf("; %s in %s", figures.Counted(r.AskedRequests, r.Noun.One, r.Noun.Many), figures.Seconds(r.Elapsed))
	case r.AskedRequests > 0:
		return s + fmt.Sprintf("; ended after %s of %s, in %s", figures.Grouped(r.Completed()),
			figures.Counted(r.AskedRequests, r.Noun.One, r.Noun.Many), figures.Seconds(r.Elapsed))
	case r.Elapsed < 0.99*asked:
		return s + fmt.Sprintf("; ended after %s of %s", figures.Seconds(r.Elapsed), figures.RoundMicroseconds(1e6*asked))
	}
	return s + ", for " + figures.Seconds(r.Elapsed)
}

// List returns the lines about what was done.
func List(r *report.Report) (list []Line) {
	say := func(name, format string, args ...any) {
		list = append(list, Line{name, fmt.Sprintf(format, args...)})
	}
	rate := fmt.Sprintf("%s %s/s", figures.RatePerSecond(r.PerSecond), r.Noun.Many)
	if r.Elapsed > 0 {
		rate += " over " + figures.Seconds(r.Elapsed)
	}
	if without := r.OutageSeconds(); without > 0 {
		rate += fmt.Sprintf(", of which %s without a connection", figures.Seconds(without))
	}
	say("rate", "%s", rate)
	say(r.Noun.Many, "%s", outcome(r))
	if len(r.Statuses) > 1 || r.Errors.Status > 0 {
		say("statuses", "%s", statusCounts(r))
	}
	for _, s := range r.Silences() {
		say("silence", "nothing %s from %s to %s, although connections were open", r.IfOneWay("has left", "was answered"),
			tenths(s.From), tenths(s.To))
	}
	list = append(list, aboutStreams(r)...)
	say("received", "%s, %s", figures.ByteSize(r.BytesIn), perSecondAndRequest(r, r.BytesIn))
	say("sent", "%s, %s", figures.ByteSize(r.BytesOut), perSecondAndRequest(r, r.BytesOut))
	connecting := "took " + figures.Seconds(r.Connecting)
	if r.Reconnects > 0 {
		connecting += fmt.Sprintf("; %s in good order and opened again",
			figures.Counted(r.Reconnects, "connection was closed by the server", "connections were closed by the server"))
	}
	say("connecting", "%s", connecting)
	return list
}

// outcome describes what happened to the requests.
func outcome(r *report.Report) string {
	s := figures.Grouped(r.Requests) + r.IfOneWay(" have left", r.InWords(" answered as expected", " echoed as they were sent"))
	if r.OneWay != nil {
		s += "; " + confirmation(r.OneWay, r.Errors.Total() == 0)
	}
	if r.Unanswered > 0 {
		s += fmt.Sprintf(", %s in flight at the end", figures.Grouped(r.Unanswered))
	}
	return s
}

func statusCounts(r *report.Report) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.Statuses)) {
		parts = append(parts, fmt.Sprintf("%s × %d", figures.Grouped(r.Statuses[code]), code))
	}
	return strings.Join(parts, ", ")
}

func perSecondAndRequest(r *report.Report, n int64) string {
	s := figures.ByteSize(int64(report.PerSecond(n, r.Elapsed))) + "/s"
	if r.Requests > 0 && r.Errors.Total() == 0 {
		s += fmt.Sprintf(", %s a %s", figures.ByteSize(n/r.Requests), r.Noun.One)
	}
	return s
}

// LatencyNote explains the latency of runs in which it is not the time from request to response.
func LatencyNote(r *report.Report) string {
	switch {
	case r.OneWay != nil && r.Rate > 0:
		return "from the moment a message was due until it had left; nobody says when it has arrived"
	case r.OneWay != nil:
		return "until a write had left; nobody says when a message has arrived"
	case r.Rate > 0:
		return fmt.Sprintf("from the moment a %s was due, not from when it was sent", r.Noun.One)
	}
	return ""
}

// messageKind describes the messages.
func messageKind(r *report.Report) string {
	kind := "binary messages"
	switch scheme := r.Scheme(); {
	case r.Message.Text:
		kind = "text messages"
	case scheme == "tcp" || scheme == "tls":
		kind = "messages"
	case r.Prefixed:
		kind = "prefixed messages"
	}
	s := fmt.Sprintf("%s of %s", kind, figures.ByteSize(int64(r.BodyBytes)))
	switch {
	case r.Message.Takeover:
		s += ", compressed with takeover"
	case r.Message.Deflate:
		s += ", compressed"
	}
	return s
}

// confirmation describes w. flawless says that no connection was lost before the end.
func confirmation(w *report.OneWay, flawless bool) string {
	if w.Confirmed < w.Conns || !flawless || w.Conns == 0 {
		return fmt.Sprintf("of %s at the end %s that everything was read", figures.Counted(w.Conns, "connection", "connections"),
			figures.Counted(w.Confirmed, "says", "say"))
	}
	return fmt.Sprintf("the other side had read them all %s later", figures.Seconds(w.Parting))
}

// aboutStreams returns the lines of the report that are specific to HTTP/2 and HTTP/3.
func aboutStreams(r *report.Report) (list []Line) {
	h := r.Streams()
	if h == nil {
		return nil
	}
	if h.MaxStreams > 0 && h.MaxStreams < int64(r.Pipeline) {
		list = append(list, Line{"streams", fmt.Sprintf("the server takes %s at once on a connection, -m asks for %s",
			figures.Grouped(h.MaxStreams), figures.Grouped(int64(r.Pipeline)))})
	}
	if len(h.GoAways) > 0 {
		text := byCode(h.GoAways) + " from the server"
		if h.Words != "" {
			text += fmt.Sprintf(": %q", h.Words)
		}
		list = append(list, Line{"goaway", text})
	}
	return list
}
