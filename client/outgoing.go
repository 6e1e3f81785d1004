package client

import (
	"io"
	"math"

	"github.com/shockwave-go/shockwave/client/internal/redirect"
	"github.com/shockwave-go/shockwave/client/internal/reqhead"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// outgoing is a request as it is sent: what a Request says, what the client adds, and what redirects have changed.
type outgoing struct {
	req  *Request
	head reqhead.Head
	call httpclient.Call
}

// reset clears o but keeps its memory.
func (o *outgoing) reset() {
	o.req = nil
	o.head.Reset()
	o.call.Reset()
}

// subject returns the request as errors describe it.
func (o *outgoing) subject() subject {
	s := subject{o.head.Method, o.head.To.Text}
	if s.url == "" {
		s.url = o.req.URL // it could not be parsed
	}
	return s
}

// prepare checks a request and sets up the head and the body.
func (o *outgoing) prepare(req *Request, cfg *Config) error {
	h := &o.head
	o.req, h.Method = req, req.method()
	if !http1.ValidToken([]byte(h.Method)) || h.Method == "CONNECT" {
		return &badRequest{"invalid method, or CONNECT"}
	}
	if err := req.to.Parse(req.URL); err != nil {
		return &badRequest{err.Error()}
	}
	h.To, h.Own = req.to, &req.Header
	if req.loginErr != nil {
		return req.loginErr
	}
	var err error
	if h.Fields, err = reqhead.ReadFields(&req.Header); err != nil {
		return &badRequest{err.Error()}
	}
	if err = checkTrailer(&req.Trailer); err != nil {
		return err
	}
	if h.Host = req.Host; h.Host == "" {
		h.Host = h.To.Host
	} else if !http1.ValidHost([]byte(h.Host)) {
		return &badRequest{"invalid Host"}
	}
	o.setClientFields(cfg)
	return o.setBody(cfg)
}

// checkTrailer refuses fields that must not be trailers (RFC 9110 §6.5.1).
func checkTrailer(h *Header) error {
	for name, value := range h.All() {
		if err := reqhead.CheckField(name, value); err != nil {
			return &badRequest{err.Error()}
		}
		if http1.ForbiddenTrailer(name) {
			return &badRequest{"the field " + string(name) + " may not be a trailer"}
		}
	}
	return nil
}

// setClientFields sets the fields that the client adds to the head.
func (o *outgoing) setClientFields(cfg *Config) {
	h := &o.head
	if h.Agent = cfg.UserAgent; h.Fields.Agent {
		h.Agent = ""
	}
	h.AcceptEncoding = !cfg.DisableDecompression && !h.Fields.Encoding && !h.Fields.Ranges && h.Method != "HEAD"
	h.Close = o.req.Close || h.Fields.Close || cfg.DisableKeepAlive
	h.SetLogin()
	h.SetCookies(cfg.Jar)
}

// setBody sets the body of the call and the fields that depend on it.
func (o *outgoing) setBody(cfg *Config) error {
	call, h, req := &o.call, &o.head, o.req
	call.Body, call.Bytes, call.Rewind, call.Trailer = nil, nil, nil, nil
	switch {
	case len(req.Body) > 0:
		call.Bytes, call.Length = req.Body, int64(len(req.Body))
	case req.Stream != nil:
		o.setStream()
	default:
		call.Length = 0
	}
	if h.Fields.Length >= 0 && h.Fields.Length != call.Length {
		return &badRequest{"Content-Length is not the body's length"}
	}
	if req.Trailer.Len() > 0 {
		o.setTrailer()
	}
	h.Length, h.Chunked = call.Length, call.Length < 0
	if call.Length == 0 && !sendsZeroLength(h.Method) {
		h.Length = -1
	}
	if call.Expect = 0; o.hasBody() && (req.ExpectContinue || h.Fields.Expect) {
		if h.Expects, call.Expect = true, cfg.ContinueTimeout; call.Expect < 0 {
			call.Expect = math.MaxInt64 // until the server asks for the body
		}
	}
	return nil
}

// hasBody reports whether the request has a body.
func (o *outgoing) hasBody() bool { return o.call.Body != nil || len(o.call.Bytes) > 0 }

// sendsZeroLength reports whether a request with this method sends Content-Length: 0 if it has no body (RFC 9110 §8.6).
func sendsZeroLength(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

// redirect changes the request to the one that a redirect asks for. It does not touch the body.
func (o *outgoing) redirect(to, from *redirect.Hop, cfg *Config) error {
	h := &o.head
	if err := h.To.Parse(to.URL.String()); err != nil {
		return &badRequest{err.Error()}
	}
	h.Redirected, h.Method = true, to.Method
	h.DropCredentials, h.DropBodyFields = !to.Credentials, !to.Body
	h.Referer = redirect.Referer(from.URL, to.URL, o.req.Header.GetString("Referer"))
	h.Host = h.To.Host
	if own := o.req.Host; own != "" && to.OwnHost {
		h.Host = own
	}
	h.SetLogin()
	h.SetCookies(cfg.Jar)
	return nil
}

// rewindBody prepares the body to be sent again from its beginning, by rewind.
func (o *outgoing) rewindBody(rewind func() (io.ReadCloser, error)) (err error) {
	if o.call.Body != nil {
		o.call.Rewind = rewind
		o.call.Body, err = rewind()
	}
	return err
}

// dropBody removes the body.
func (o *outgoing) dropBody() {
	call, h := &o.call, &o.head
	call.Body, call.Bytes, call.Rewind, call.Trailer, call.Length, call.Expect = nil, nil, nil, nil, 0, 0
	h.Length, h.Chunked, h.Expects, h.Trailer = -1, false, false, nil
}
