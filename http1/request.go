package http1

import (
	"github.com/shockwave-go/shockwave"
)

// Request is a request head. Its slices point into the bytes given to Parse and are valid as long as those are. The
// zero value is ready to parse with default limits.
type Request struct {
	Limits Limits
	// TunnelPaths allows CONNECT with a path as its target, which no RFC defines. It also allows the first bytes of a
	// net/rpc client, which are such a CONNECT in HTTP/1.0, with lines that end without CR and without any fields:
	// "CONNECT /_goRPC_ HTTP/1.0\n\n". No message can be smuggled after it, because the connection then becomes a
	// tunnel or ends.
	TunnelPaths bool

	shockwave.RequestHead
	Form      TargetForm
	Minor     int // 1 for HTTP/1.1, 0 for HTTP/1.0
	Framing   Framing
	KeepAlive bool // the connection may be used again after this exchange (RFC 9112 §9.3)
	Expect    bool // Expect: 100-continue on HTTP/1.1 (RFC 9110 §10.1.1)
	BadExpect bool // an expectation other than 100-continue: respond with 417
	Upgrade   bool // Connection lists "upgrade" and there is an Upgrade field, on HTTP/1.1 (RFC 9110 §7.8)

	head      head
	skipped   int // bytes of the empty lines before the request line
	methodEnd int
	targetEnd int
	host      hostField
}

// Parse reads a request head from the start of b. It returns the length of the head, or 0 if b does not hold the whole
// head yet: call Parse again with a longer b that begins with the same bytes. Up to four empty lines before the request
// line are skipped and count as part of the head (RFC 9112 §2.2).
//
// An error is an *Error with the status to respond with. Bad bytes are refused as soon as they are read where that costs
// nothing, and always when the head is complete. The result does not depend on how many bytes arrived at a time. The
// fields of r are valid once the head is complete. Call Reset before the next message, and after an error.
func (r *Request) Parse(b []byte) (n int, err error) {
	n, e := r.parse(b)
	if n == 0 || e != nil { // so that the lines read so far can be inspected
		r.Header.Rebase(b[r.skipped:])
	}
	if e != nil {
		return 0, e
	}
	return n, nil
}

func (r *Request) parse(b []byte) (int, *Error) {
	b, full := cut(b, r.Limits.head())
	h := &r.head
	if h.phase == atStart {
		if err := r.skipEmptyLines(b); err != nil {
			return 0, err
		}
	}
	b = b[r.skipped:]
	if h.phase < inFields {
		if err := r.requestLine(b); err != nil {
			return 0, err
		}
	}
	n := 0
	if h.phase == headIsRead {
		n = h.pos
	}
	if h.phase == inFields {
		var err *Error
		if n, err = h.fields(b, r.Limits.fields(), &r.Header, &r.host); err != nil {
			return 0, err
		}
	}
	switch {
	case n > 0:
		return r.skipped + n, r.finish(b[:n])
	case full && h.phase == inTarget:
		return 0, errTargetSize
	case full:
		return 0, errHeadSize
	}
	h.resumed = true
	return 0, nil
}

// finish sets the fields of r that need the complete head.
func (r *Request) finish(b []byte) *Error {
	h := &r.head
	if h.resumed {
		if err := r.splitTarget(b); err != nil {
			return err
		}
	}
	r.Header.Rebase(b[:len(b):len(b)])
	if !r.host.found && r.Minor > 0 {
		return errHostMissing
	}
	host := r.Authority
	if host == nil && r.host.found {
		s := r.host.value
		host = r.Header.Bytes()[s.Start:s.End:s.End]
	}
	r.Host = host
	framing, err := message{minor: r.Minor}.framing(&h.facts)
	if err != nil {
		return err
	}
	r.Framing = framing
	r.KeepAlive = h.facts.persistent(r.Minor)
	r.Expect = h.facts.expects && r.Minor > 0
	r.BadExpect = h.facts.expectsOther
	r.Upgrade = h.facts.upgrades && h.facts.hasUpgrade && r.Minor > 0
	return nil
}

// Reset clears r for the next message. It keeps Limits, TunnelPaths and memory.
func (r *Request) Reset() {
	// Each field is reset by itself: assigning a whole Request costs as much as parsing a small head.
	r.Method, r.Target, r.Scheme, r.Authority = nil, nil, nil, nil
	r.Path, r.Query, r.Host = nil, nil, nil
	r.Form, r.HasQuery, r.Minor, r.Framing = OriginForm, false, 0, Framing{}
	r.KeepAlive, r.Expect, r.BadExpect, r.Upgrade = false, false, false, false
	r.Header.Reset()
	r.head = head{}
	r.skipped, r.methodEnd, r.targetEnd, r.host = 0, 0, 0, hostField{}
}
