package client

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// prepare checks a request and makes what is to be sent of it.
func (r *Response) prepare(req *Request) error {
	h := &r.head
	h.req, h.method = req, req.method()
	if !http1.ValidToken([]byte(h.method)) || h.method == "CONNECT" {
		return &badRequest{"a method that is none, or not for requests"}
	}
	if err := req.to.parse(req.URL); err != nil {
		return err
	}
	h.to = req.to
	if req.login != nil {
		return req.login
	}
	var err error
	if h.asked, err = readFields(&req.Header); err != nil {
		return err
	}
	if err = checkTrailer(&req.Trailer); err != nil {
		return err
	}
	if err = h.setHost(req.Host); err != nil {
		return err
	}
	r.setOwn()
	if err = r.setBody(); err != nil {
		return err
	}
	return r.setWay()
}

// setOwn sets what the client adds to the head.
func (r *Response) setOwn() {
	h, cfg := &r.head, &r.client.cfg
	if h.agent = cfg.UserAgent; h.asked.agent {
		h.agent = ""
	}
	h.encodes = !cfg.DisableDecompression && !h.asked.encoding && !h.asked.ranges && h.method != "HEAD"
	h.closes = h.req.Close || h.asked.close || cfg.DisableKeepAlive
	if h.to.named && !h.asked.login {
		h.setLogin(h.to.user)
	}
	r.setCookies()
}

// setHost sets the Host of the request.
func (h *requestHead) setHost(own string) error {
	if h.host = own; own == "" {
		h.host = h.to.host
	} else if !http1.ValidHost([]byte(own)) {
		return &badRequest{"a Host that is none"}
	}
	return nil
}

// setWay sets over which connections the request goes, and what the call is besides.
func (r *Response) setWay() error {
	k, h := &r.call, &r.head
	k.Method, k.Head, k.Timeouts = h.method, h, &r.client.timeout
	k.Replayable, k.Close, k.Interim = h.req.replayable(h.method), h.closes, h.req.Interim
	r.setTrace()
	k.Key = httpclient.Key{Secure: h.to.secure, Host: h.to.key, Version: httpclient.Version(r.client.cfg.Protocol)}
	return r.client.proxies.choose(r)
}
