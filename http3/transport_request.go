package http3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// clientCall is a request until its response has arrived.
type clientCall struct {
	t     *Transport
	req   *http.Request
	ctx   context.Context
	trace *httptrace.ClientTrace // nil if there is none

	addr        string // host:port
	method      string
	authority   string
	path        string
	length      int64         // of the body; -1 if it is not known
	body        io.ReadCloser // nil if there is none, or if it was used up
	expect      time.Duration // how long to wait for 100 Continue
	headTimeout time.Duration // how long to wait for the head of the response; 0 for ever
	replayable  bool
	head        []byte // the HEADERS frame
	size        uint64 // of its fields (RFC 9114 §4.2.2)
	gotByte     bool   // the trace was told of the response's first byte
}

// newCall checks a request and builds its head.
func (t *Transport) newCall(req *http.Request) (*clientCall, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	c := &clientCall{t: t, req: req, ctx: req.Context(), method: req.Method, replayable: replayable(req), headTimeout: max(t.ResponseHeaderTimeout, 0)}
	c.trace = httptrace.ContextClientTrace(c.ctx)
	if c.method == "" {
		c.method = http.MethodGet
	}
	c.addr = net.JoinHostPort(strings.ToLower(req.URL.Hostname()), portOf(req))
	if err := c.setTarget(); err != nil {
		return nil, err
	}
	if c.length = bodyLength(req); c.length != 0 {
		c.body = req.Body
	} else if req.Body != nil {
		req.Body.Close()
	}
	if c.body != nil && hasToken(req.Header["Expect"], "100-continue") {
		c.expect = max(t.ExpectContinueTimeout, 0)
	}
	var f sectionFields
	c.head = appendSection(nil, &f, headSection{c})
	c.size = f.size
	return c, nil
}

// portOf returns the port of a request's URL.
func portOf(req *http.Request) string {
	if p := req.URL.Port(); p != "" {
		return p
	}
	return "443"
}

// setTarget sets the path and the authority.
func (c *clientCall) setTarget() error {
	u := c.req.URL
	c.path = u.RequestURI()
	if rest, ok := strings.CutPrefix(u.Opaque, "//"+u.Host); ok && rest != "" {
		if c.path = rest; u.RawQuery != "" {
			c.path += "?" + u.RawQuery
		}
	}
	for i := range len(c.path) {
		if b := c.path[i]; b <= ' ' || b == 0x7f {
			return errors.New("net/http: can't write control character in Request.URL")
		}
	}
	if c.path != "*" && (c.path == "" || c.path[0] != '/') {
		return fmt.Errorf("http3: invalid request target %q", c.path)
	}
	if c.authority = c.req.Host; c.authority == "" {
		c.authority = u.Host
	}
	c.authority = withoutZone(c.authority)
	// What a server would say about the method and the authority (RFC 9114 §4.3.1).
	var h http2.Head
	if _, err := h.ReadRequest([]http2.Field{
		{Name: ":method", Value: c.method}, {Name: ":scheme", Value: "https"}, {Name: ":path", Value: "/"}, {Name: ":authority", Value: c.authority},
	}, false); err != nil {
		return fmt.Errorf("http3: invalid method %q or Host %q: %s", c.method, c.authority, err.Msg)
	}
	return nil
}

// withoutZone removes the zone from an IPv6 address, since it means something on this machine only (RFC 6874 §4).
func withoutZone(host string) string {
	end := strings.IndexByte(host, ']')
	if at := strings.IndexByte(host, '%'); strings.HasPrefix(host, "[") && at > 0 && at < end {
		return host[:at] + host[end:]
	}
	return host
}

// bodyLength returns the length of a request's body: 0 if there is none, -1 if it is not known.
func bodyLength(req *http.Request) int64 {
	switch {
	case req.Body == nil || req.Body == http.NoBody:
		return 0
	case slices.Equal(req.TransferEncoding, []string{"chunked"}):
		return -1
	case req.ContentLength != 0:
		return max(req.ContentLength, -1)
	}
	return -1
}

// replayable reports whether a request can be sent twice without harm, by the same rule as http.Transport.
func replayable(req *http.Request) bool {
	switch req.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	_, a := req.Header["Idempotency-Key"]
	_, b := req.Header["X-Idempotency-Key"]
	return a || b
}

// trailerSection returns the HEADERS frame of the trailer section and the size of its fields, nothing if there are none. Its values have
// been set while the body was read.
func (c *clientCall) trailerSection() (frame []byte, size uint64, err error) {
	if err := checkFields("trailer", c.req.Trailer); err != nil {
		return nil, 0, err
	}
	var f sectionFields
	if frame = appendSection(nil, &f, trailerFields{c}); f.size == 0 {
		return nil, 0, nil
	}
	return frame, f.size, nil
}
