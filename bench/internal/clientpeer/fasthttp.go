package clientpeer

import (
	"crypto/tls"
	"encoding/json"

	"github.com/valyala/fasthttp"
)

type fastClient struct{ *fasthttp.Client }

// newFastHTTP ignores http2, because fasthttp has no HTTP/2; the suite never sets it.
func newFastHTTP(_ bool, most int) measuredClient {
	return fastClient{&fasthttp.Client{
		MaxConnsPerHost: most, MaxIdleConnDuration: keepIdle, TLSConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

func (c fastClient) worker(x *exchange) func() error {
	var list []record
	return func() error {
		req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(req)
		defer fasthttp.ReleaseResponse(resp)
		req.SetRequestURI(x.url)
		if x.body != nil {
			req.Header.SetMethod("POST")
			req.SetBodyRaw(x.body)
		}
		if err := c.Do(req, resp); err != nil {
			return err
		}
		for _, f := range x.fields {
			if got := resp.Header.Peek(f.Name); string(got) != f.Value {
				return x.field(f.Name, string(got), f.Value)
			}
		}
		if !x.json {
			return x.check(resp.StatusCode(), resp.Body())
		}
		list = list[:0]
		if err := json.Unmarshal(resp.Body(), &list); err != nil {
			return err
		}
		return x.decoded(resp.StatusCode(), list)
	}
}
