package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Errors lists the errors by kind.
func Errors(r *report.Report) (list []ErrorLine) {
	e := r.Errors
	for _, kind := range []struct {
		n          int64
		name, text string
	}{
		{e.Connect, "connect", connectErrorText(r)},
		{e.Protocol, "protocol", protocolErrorText(r)},
		{e.Status, "status", r.IfSame("the answer says 4xx or 5xx, or has another status than the first (-same)",
			"the answer says 4xx or 5xx")},
		{e.Length, "length", r.InWords(
			r.IfSame("the body is longer or shorter than the first (-same), or was cut short", "the body was cut short"),
			"the echo is longer or shorter than what was sent")},
		{e.Content, "content", "the echo is not what was sent"},
		{e.Closed, "closed", r.IfOneWay("the connection ended too early: what was sent on it may not have been read",
			"the connection ended before the answer did")},
		{e.Reset, "reset", resetText(r.Streams())},
		{e.Timeout, "timeout", fmt.Sprintf(r.IfOneWay("not taken, or not read to the end, within %v (-timeout)",
			"no answer within %v (-timeout)"), r.Timeout)},
	} {
		if kind.n > 0 {
			list = append(list, ErrorLine{kind.name, figures.Grouped(kind.n), kind.text})
		}
	}
	return append(list, outages(r)...)
}

// shownOutages is how many outages are listed individually.
const shownOutages = 5

// outages lists the times without a connection.
func outages(r *report.Report) (list []ErrorLine) {
	for i, o := range r.Outages {
		if rest := len(r.Outages) - i; i == shownOutages && rest > 1 {
			return append(list, ErrorLine{"outages", figures.Grouped(int64(rest)), "more of them"})
		}
		list = append(list, ErrorLine{"outage", figures.Seconds(o.To - o.From), fmt.Sprintf("nothing could be connected from %s to %s: %s of %s",
			tenths(o.From), tenths(o.To), tenths(o.To-o.From), tenths(r.Elapsed))})
	}
	return list
}

// tenths formats seconds with at most one decimal.
func tenths(s float64) string { return figures.TrimZeros(fmt.Sprintf("%.1f", s)) + " s" }

// connectErrorText describes the errors of kind connect.
func connectErrorText(r *report.Report) string {
	switch r.Scheme() {
	case "ws", "wss":
		return "no connection, no TLS, or no WebSocket"
	}
	return "no connection, or no TLS"
}

// resetText describes the errors of kind reset.
func resetText(h *report.Streams) string {
	if h == nil {
		return ""
	}
	return "the server reset the stream: " + byCode(h.Resets)
}

// protocolErrorText describes the errors of kind protocol.
func protocolErrorText(r *report.Report) string {
	switch h := r.Streams(); {
	case h != nil && h.Fault != "":
		_, fault, _ := strings.Cut(h.Fault, ": ")
		return "the answer breaks the rules of " + r.Protocol() + ": " + fault
	case h != nil:
		return "the answer is no " + r.Protocol()
	}
	switch r.Scheme() {
	case "tcp", "tls":
		return "what came is no message, or one that nobody asked for"
	}
	return r.InWords("the answer is no HTTP", "the answer breaks the rules of WebSocket")
}

// byCode formats counts with their names, the largest first.
func byCode(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s × %s", figures.Grouped(counts[name]), name)
	}
	return strings.Join(names, ", ")
}
