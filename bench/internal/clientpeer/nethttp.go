package clientpeer

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/nethttp"
)

// keepIdle is how long idle connections are kept: longer than any measurement.
const keepIdle = peer.KeepIdle

// httpClient is http.Client on some transport.
type httpClient struct{ *http.Client }

func newTransport(http2 bool, most int) measuredClient {
	return httpClient{&http.Client{Transport: &nethttp.Transport{
		Protocols: protocols(http2), TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: most, IdleConnTimeout: keepIdle,
	}}}
}

func newStd(http2 bool, most int) measuredClient {
	return httpClient{&http.Client{Transport: stdTransport(http2, most)}}
}

func stdTransport(http2 bool, most int) *http.Transport {
	return &http.Transport{
		Protocols: protocols(http2), TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: most, IdleConnTimeout: keepIdle,
	}
}

// protocols selects HTTP/1.1, or HTTP/2 without TLS.
func protocols(http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(!http2)
	p.SetUnencryptedHTTP2(http2)
	return p
}

func (c httpClient) worker(x *exchange) func() error {
	var body bytes.Buffer
	return func() error {
		resp, err := c.send(x)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		for _, f := range x.fields {
			if err := x.field(f.Name, resp.Header.Get(f.Name), f.Value); err != nil {
				return err
			}
		}
		if x.json {
			var list []record
			if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
				return err
			}
			io.Copy(io.Discard, resp.Body)
			return x.decoded(resp.StatusCode, list)
		}
		body.Reset()
		if _, err := body.ReadFrom(resp.Body); err != nil {
			return err
		}
		return x.check(resp.StatusCode, body.Bytes())
	}
}

func (c httpClient) send(x *exchange) (*http.Response, error) {
	if x.body != nil {
		return c.Post(x.url, "application/octet-stream", bytes.NewReader(x.body))
	}
	return c.Get(x.url)
}

type restyClient struct{ *resty.Client }

func newResty(http2 bool, most int) measuredClient {
	return restyClient{resty.New().SetTransport(stdTransport(http2, most)).SetTimeout(time.Minute)}
}

func (c restyClient) worker(x *exchange) func() error {
	return func() error {
		r := c.R()
		var list []record
		if x.json {
			r.SetResult(&list)
		}
		resp, err := restySend(r, x)
		if err != nil {
			return err
		}
		for _, f := range x.fields {
			if err := x.field(f.Name, resp.Header().Get(f.Name), f.Value); err != nil {
				return err
			}
		}
		if x.json {
			return x.decoded(resp.StatusCode(), list)
		}
		return x.check(resp.StatusCode(), resp.Body())
	}
}

func restySend(r *resty.Request, x *exchange) (*resty.Response, error) {
	if x.body != nil {
		return r.SetBody(x.body).Post(x.url)
	}
	return r.Get(x.url)
}
