package report

import (
	"strings"
)

// noun names what a report counts, in singular and plural.
type noun struct{ One, Many string }

var (
	Requests = noun{"request", "requests"}
	Messages = noun{"message", "messages"}
)

// Title returns the plural with a capital letter.
func (s noun) Title() string { return strings.ToUpper(s.Many[:1]) + s.Many[1:] }

// InWords returns its first argument for runs over HTTP, and its second for runs with messages.
func (r *Report) InWords(http, sockets string) string {
	if r.Noun == Messages {
		return sockets
	}
	return http
}

// IfOneWay returns oneWay for runs with one-way messages, else others.
func (r *Report) IfOneWay(oneWay, others string) string {
	if r.OneWay != nil {
		return oneWay
	}
	return others
}

// Scheme returns the scheme of the URL.
func (r *Report) Scheme() string {
	scheme, _, _ := strings.Cut(r.URL, "://")
	return scheme
}

// Subject returns the method, if any, and the URL.
func (r *Report) Subject() string { return strings.TrimSpace(r.Method + " " + r.URL) }

// IfSame returns same if -same was given, else others.
func (r *Report) IfSame(same, others string) string {
	if r.same {
		return same
	}
	return others
}
