package clientpeer

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"

	"github.com/shockwave-go/shockwave/client"
)

type ownClient struct{ *client.Client }

func newClient(http2 bool, most int) measuredClient {
	cfg := client.Config{
		Protocols:       new(http.Protocols),
		MaxConnsPerHost: most, MaxIdleConns: most, IdleTimeout: keepIdle,
		TLSConfig: &tls.Config{InsecureSkipVerify: true}, DisableProxy: true,
	}
	cfg.Protocols.SetHTTP1(!http2)
	cfg.Protocols.SetHTTP2(http2)
	cfg.Protocols.SetUnencryptedHTTP2(http2)
	return ownClient{client.New(cfg)}
}

func (c ownClient) worker(x *exchange) func() error {
	req := &client.Request{Method: "GET", URL: x.url, Body: x.body}
	if x.body != nil {
		req.Method = "POST"
	}
	var body []byte
	var list []record
	return func() error {
		resp, err := c.Do(context.Background(), req)
		if err != nil {
			return err
		}
		defer resp.Close()
		for _, f := range x.fields {
			if got := resp.Header().Get(f.Name); string(got) != f.Value {
				return x.field(f.Name, string(got), f.Value)
			}
		}
		if body, err = resp.AppendBody(body[:0]); err != nil {
			return err
		}
		if !x.json {
			return x.check(resp.StatusCode(), body)
		}
		list = list[:0]
		if err := json.Unmarshal(body, &list); err != nil {
			return err
		}
		return x.decoded(resp.StatusCode(), list)
	}
}
