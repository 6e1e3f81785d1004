package h2conn

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// errorNames are names for Policy.CountError, which is called later, without the lock.
type errorNames []string

// CountLater passes name to Policy.CountError once the lock is released. It is for code that this package calls with the lock
// held. The caller must hold the lock.
func (c *Conn) CountLater(name string) {
	if c.policy.CountError == nil {
		return
	}
	if c.uncounted == nil {
		c.uncounted = new(errorNames)
	}
	*c.uncounted = append(*c.uncounted, name)
}

// noteError is CountLater for an error of the HTTP/2 protocol. scope is connPrefix or streamPrefix. The caller must hold the
// lock.
func (c *Conn) noteError(scope string, err error) {
	if e, ok := err.(*http2.Error); ok && e.Name != "" && c.policy.CountError != nil {
		c.CountLater(scope + Token(e.Code) + "_" + e.Name)
	}
}

// The prefixes of the two kinds of errors (RFC 9113 §5.4).
const (
	connPrefix   = "conn_"
	streamPrefix = "stream_"
)

// Token returns the code as a part of a counter's name.
func Token(code http2.ErrCode) string { return strings.ToLower(code.String()) }

// takeUncounted returns the names that were noted and forgets them. The caller must hold the lock.
func (c *Conn) takeUncounted() *errorNames {
	names := c.uncounted
	c.uncounted = nil
	return names
}

// countErrors calls CountError for each name. The caller must not hold the lock; names may be nil.
func (p *Policy) countErrors(names *errorNames) {
	if names == nil {
		return
	}
	for _, name := range *names {
		p.CountError(name)
	}
}
