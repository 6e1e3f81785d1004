package h2conn

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// faults are names of errors that nobody has been told of: Policy.CountError is called without the lock.
type faults []string

// Note has Policy.CountError called with name, when the lock is free. It is for who is called by this package with the
// lock, which is held.
func (c *Conn) Note(name string) {
	if c.policy.CountError == nil {
		return
	}
	if c.noted == nil {
		c.noted = new(faults)
	}
	*c.noted = append(*c.noted, name)
}

// noteError is Note for an error of the protocol: the connection's, or a stream's. The lock is held.
func (c *Conn) noteError(scope string, err error) {
	if e, ok := err.(*http2.Error); ok && e.Name != "" && c.policy.CountError != nil {
		c.Note(scope + Token(e.Code) + "_" + e.Name)
	}
}

// The two kinds of errors (RFC 9113 §5.4).
const (
	ofConn   = "conn_"
	ofStream = "stream_"
)

// Token is a code in a counter's name.
func Token(code http2.Code) string { return strings.ToLower(code.String()) }

// takeNoted returns what is to be told of. The lock is held.
func (c *Conn) takeNoted() *faults {
	noted := c.noted
	c.noted = nil
	return noted
}

// tell has the errors counted. The lock is not held; noted may be nil.
func (p *Policy) tell(noted *faults) {
	if noted == nil {
		return
	}
	for _, name := range *noted {
		p.CountError(name)
	}
}
