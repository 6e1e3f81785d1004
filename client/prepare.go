package client

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// prepare checks a request and sets up the head, the body and the call.
func (r *Response) prepare(req *Request) error {
	h := &r.head
	h.req, h.method = req, req.method()
	if !http1.ValidToken([]byte(h.method)) || h.method == "CONNECT" {
		return &badRequest{"an invalid method, or CONNECT"}
	}
	if err := req.to.parse(req.URL); err != nil {
		return err
	}
	h.to = req.to
	if req.loginErr != nil {
		return req.loginErr
	}
	var err error
	if h.fields, err = readFields(&req.Header); err != nil {
		return err
	}
	if err = checkTrailer(&req.Trailer); err != nil {
		return err
	}
	if err = h.setHost(req.Host); err != nil {
		return err
	}
	r.setClientFields()
	if err = r.setBody(); err != nil {
		return err
	}
	return r.setCall()
}

// setClientFields sets the fields that the client adds to the head.
func (r *Response) setClientFields() {
	h, cfg := &r.head, &r.client.cfg
	if h.agent = cfg.UserAgent; h.fields.agent {
		h.agent = ""
	}
	h.acceptEncoding = !cfg.DisableDecompression && !h.fields.encoding && !h.fields.ranges && h.method != "HEAD"
	h.close = h.req.Close || h.fields.close || cfg.DisableKeepAlive
	if h.to.hasUser && !h.fields.login {
		h.setLogin(h.to.user)
	}
	r.setCookies()
}

// setHost sets the Host of the request, which is own if that is not empty.
func (h *requestHead) setHost(own string) error {
	if h.host = own; own == "" {
		h.host = h.to.host
	} else if !http1.ValidHost([]byte(own)) {
		return &badRequest{"an invalid Host"}
	}
	return nil
}

// setCall sets the connection key and the other parameters of the call.
func (r *Response) setCall() error {
	k, h := &r.call, &r.head
	k.Method, k.Head, k.Timeouts = h.method, h, &r.client.timeout
	k.Replayable, k.Close, k.Interim = h.req.replayable(h.method), h.close, h.req.Interim
	k.HTTP3 = r.client.cfg.Protocol == Any
	r.setTrace()
	k.Key = httpclient.Key{Secure: h.to.secure, Host: h.to.key, Version: httpclient.Version(r.client.cfg.Protocol)}
	return r.client.proxies.setProxy(r)
}
