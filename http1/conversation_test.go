package http1

import (
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave"
)

// conversation reads messages as an engine does, from bytes that come in pieces, and logs the results. The log must not
// depend on the pieces.
type conversation struct {
	method  string // of the request that responses belong to; "" for requests
	limits  Limits
	tunnels bool // requests are read with TunnelPaths

	req    Request
	resp   Response
	body   Body
	inBody bool
	dead   bool
	data   []byte // of the body so far: runs are joined, since their borders depend on the pieces
	lines  []string
}

func (c *conversation) logf(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// converse passes input to a conversation in pieces: cuts are the indexes at which a piece ends. After each piece the
// input moves to other memory and the old memory is overwritten, so that a reference to it would show.
func converse(c *conversation, input []byte, cuts []int) []string {
	var buf []byte
	from := 0
	for piece, to := range append(cuts[:len(cuts):len(cuts)], len(input)) {
		next := append(buf, input[from:to]...)
		if moves := len(buf) < 2048 || piece%512 == 0; moves { // long ones not every time: that is quadratic
			next = append([]byte(nil), next...)
			for i := range buf {
				buf[i] = '!'
			}
		}
		from = to
		n := c.read(next)
		for i := range n {
			next[i] = '!'
		}
		buf = next[n:]
	}
	c.end(buf)
	return c.lines
}

// read takes what it can from b and returns how much that is.
func (c *conversation) read(b []byte) (n int) {
	for !c.dead {
		switch {
		case c.inBody && c.body.Done():
			c.endBody()
			continue
		case c.inBody:
			n += c.readBody(b[n:])
		default:
			n += c.readHead(b[n:])
		}
		if !c.inBody || !c.body.Done() && n == len(b) {
			return n // the head is not whole, or the body takes more
		}
	}
	return len(b)
}

func (c *conversation) readHead(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	var n int
	var err error
	var f Framing
	if c.method == "" {
		c.req.Limits, c.req.TunnelPaths = c.limits, c.tunnels
		n, err = c.req.Parse(b)
		f = c.req.Framing
	} else {
		c.resp.Limits = c.limits
		n, err = c.resp.Parse(b, c.method)
		f = c.resp.Framing
	}
	switch {
	case err != nil:
		c.refused(err)
		return 0
	case n == 0:
		return 0
	}
	if c.method == "" {
		c.logRequest()
		c.req.Reset()
	} else {
		c.logResponse()
		c.resp.Reset()
	}
	c.body.Start(f, c.limits)
	c.inBody = true
	return n
}

func (c *conversation) readBody(b []byte) int {
	data, n, err := c.body.Next(b)
	c.data = append(c.data, data...)
	if err != nil {
		c.refused(err)
	}
	return n
}

func (c *conversation) refused(err error) {
	e := err.(*Error)
	c.logData()
	c.logf("%d %s (%s)", e.Status, e.Msg, e.Rule)
	c.dead = true
}

func (c *conversation) logData() {
	if len(c.data) > 0 {
		c.logf("data %q", shorten(c.data))
	}
	c.data = c.data[:0]
}

func (c *conversation) endBody() {
	c.logData()
	if c.body.Trailer().Len() > 0 {
		c.logf("trailer")
		c.logFields(c.body.Trailer())
	}
	c.logf("end")
	c.inBody = false
}

// end tells the conversation that no more bytes come; rest is what was not taken.
func (c *conversation) end(rest []byte) {
	switch {
	case c.dead:
	case c.inBody:
		if c.body.End() == nil {
			c.endBody()
		} else {
			c.logData()
			c.logf("more: the body is not whole")
		}
	case len(rest) > 0:
		c.logf("more: the head is not whole")
	}
}

func (c *conversation) logRequest() {
	r := &c.req
	var s strings.Builder
	fmt.Fprintf(&s, "request %s %q HTTP/1.%d %s", r.Method, shorten(r.Target), r.Minor,
		[]string{"origin", "absolute", "authority", "asterisk"}[r.Form])
	if r.Form == AbsoluteForm {
		fmt.Fprintf(&s, " scheme %q authority %q", r.Scheme, r.Authority)
	}
	if r.Form != AuthorityForm {
		fmt.Fprintf(&s, " path %q", shorten(r.Path))
	}
	if r.HasQuery {
		fmt.Fprintf(&s, " query %q", shorten(r.Query))
	}
	fmt.Fprintf(&s, " host %q", r.Host)
	c.logf("%s%s", s.String(), traits(r.Framing, r.KeepAlive, r.Expect, r.BadExpect, r.Upgrade))
	c.logFields(&r.Header)
}

func (c *conversation) logResponse() {
	r := &c.resp
	c.logf("response %d %q HTTP/1.%d%s", r.Status, r.Reason, r.Minor, traits(r.Framing, r.KeepAlive, false, false, r.Upgrade))
	c.logFields(&r.Header)
}

func (c *conversation) logFields(h *shockwave.Header) {
	const most = 20
	for i := range h.Len() {
		if i == most {
			c.logf("  … %d more", h.Len()-most)
			return
		}
		name, value := h.At(i)
		c.logf("  %s: %q", shorten(name), shorten(value))
	}
}

func traits(f Framing, keep, expect, badExpect, upgrade bool) string {
	s := []string{" no body", fmt.Sprintf(" body of %d", f.Length), " chunks", " until close"}[f.Delimiter]
	for _, t := range []struct {
		is   bool
		name string
	}{{!keep, " close"}, {expect, " expects 100"}, {badExpect, " expects other"}, {upgrade, " upgrade"}} {
		if t.is {
			s += t.name
		}
	}
	return s
}

// shorten keeps logs of long inputs readable; the part it leaves out is covered by its length.
func shorten(b []byte) string {
	if len(b) <= 120 {
		return string(b)
	}
	return fmt.Sprintf("%s…%d bytes", b[:20], len(b))
}

// everyByte returns the cuts that make each byte of input a piece.
func everyByte(input []byte) []int {
	cuts := make([]int, max(len(input)-1, 0))
	for i := range cuts {
		cuts[i] = i + 1
	}
	return cuts
}
