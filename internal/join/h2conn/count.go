package h2conn

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// errorNames are names for Policy.CountError, which is called later, without the lock.
type errorNames []string

// report calls count for each name. names may be nil.
func (names *errorNames) report(count func(name string)) {
	if names == nil {
		return
	}
	for _, name := range *names {
		count(name)
	}
}

// The prefixes of the two kinds of errors (RFC 9113 §5.4).
const (
	connPrefix   = "conn_"
	streamPrefix = "stream_"
)

// counterOf returns the name of the counter for an error of the HTTP/2 protocol, "" if it has none. scope is connPrefix or
// streamPrefix.
func counterOf(scope string, err error) string {
	if e, ok := err.(*http2.Error); ok && e.Name != "" {
		return scope + Token(e.Code) + "_" + e.Name
	}
	return ""
}

// Token returns the code as a part of a counter's name.
func Token(code http2.ErrCode) string { return strings.ToLower(code.String()) }
