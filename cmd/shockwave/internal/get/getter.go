package get

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/http3"
)

// getter requests URLs.
type getter interface {
	get(url string) (gotten, error)
	close()
}

// gotten is a response whose body has not been read. close must be called.
type gotten struct {
	status       int
	proto        string
	decompressed bool
	body         io.Reader
	close        func()
}

// clientGetter speaks HTTP/1.1 and HTTP/2.
type clientGetter struct{ c *client.Client }

func (g clientGetter) get(url string) (gotten, error) {
	resp, err := g.c.Get(url)
	if err != nil {
		return gotten{}, err
	}
	return gotten{resp.StatusCode(), resp.Proto(), resp.Decompressed(), resp.Body(), func() { resp.Close() }}, nil
}

func (g clientGetter) close() { g.c.Close() }

// http3Getter speaks HTTP/3.
type http3Getter struct {
	transport *http3.Transport
	client    *http.Client
	timeout   time.Duration
}

func newHTTP3Getter(opt *options) *http3Getter {
	g := &http3Getter{transport: &http3.Transport{DisableCompression: true}, timeout: time.Duration(opt.timeout)}
	if opt.acceptAnyCerts {
		g.transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	g.client = &http.Client{Transport: g.transport}
	return g
}

func (g *http3Getter) get(url string) (gotten, error) {
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if g.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, g.timeout)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return gotten{}, err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		cancel()
		return gotten{}, err
	}
	return gotten{resp.StatusCode, resp.Proto, false, resp.Body, func() {
		resp.Body.Close()
		cancel()
	}}, nil
}

func (g *http3Getter) close() { g.transport.Close() }
