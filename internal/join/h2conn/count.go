package h2conn

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// errorNames are names for Policy.CountError, which is called later, without the lock.
type errorNames []string

// CountLaterLocked passes name to Policy.CountError once the lock is released. It is for code that this package calls
// with the lock held.
func (c *Conn) CountLaterLocked(name string) {
	if c.policy.CountError == nil {
		return
	}
	if c.uncounted == nil {
		c.uncounted = new(errorNames)
	}
	*c.uncounted = append(*c.uncounted, name)
}

// noteErrorLocked is CountLaterLocked for an error of the HTTP/2 protocol. scope is connPrefix or streamPrefix.
func (c *Conn) noteErrorLocked(scope string, err error) {
	if e, ok := err.(*http2.Error); ok && e.Name != "" && c.policy.CountError != nil {
		c.CountLaterLocked(scope + Token(e.Code) + "_" + e.Name)
	}
}

// The prefixes of the two kinds of errors (RFC 9113 §5.4).
const (
	connPrefix   = "conn_"
	streamPrefix = "stream_"
)

// Token returns the code as a part of a counter's name.
func Token(code http2.ErrCode) string { return strings.ToLower(code.String()) }

// takeUncountedLocked returns the names that were noted and forgets them.
func (c *Conn) takeUncountedLocked() *errorNames {
	names := c.uncounted
	c.uncounted = nil
	return names
}

// countErrors calls CountError for each name. names may be nil.
func (p *Policy) countErrors(names *errorNames) {
	if names == nil {
		return
	}
	for _, name := range *names {
		p.CountError(name)
	}
}
