package client

import (
	"context"
	"crypto/tls"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/coding"
	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Header is a list of field lines.
type Header = shockwave.Header

// Client sends requests and keeps the connections for others. All methods may be called concurrently. Make one for all
// of a program, and Close it at the end.
type Client struct {
	cfg     Config
	pool    *httpclient.Client
	timeout httpclient.Timeouts
	inflate coding.Limits
	tls     *tls.Config
	dialer  dial.Dialer
	proxies proxies
	budget  budget
	stats   counters

	responses sync.Pool
	life      context.Context // until Close
	end       context.CancelFunc
}

// NewClient returns a client with the defaults.
func NewClient() *Client { return NewClientConfig(Config{}) }

// NewClientConfig returns a client with settings of your own.
func NewClientConfig(cfg Config) *Client {
	c := &Client{cfg: cfg.withDefaults()}
	cfg = c.cfg
	c.life, c.end = context.WithCancel(context.Background())
	c.timeout = httpclient.Timeouts{Head: max(cfg.HeadTimeout, 0), Idle: max(cfg.BodyTimeout, 0)}
	c.inflate = coding.Limits{Bytes: cfg.MaxInflated, Ratio: cfg.MaxInflateRatio}
	c.tls = tlsConfig(&cfg)
	c.proxies.init(&cfg)
	c.budget.init(&cfg.Retry)
	pool := cfg.pool()
	pool.Open = c.open
	c.pool = httpclient.New(pool)
	return c
}

// Get sends a GET request and returns the response, which is to be closed.
func (c *Client) Get(url string) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL = "GET", url
	return c.do(context.Background(), r, &r.own)
}

// Head sends a HEAD request and returns the response, which is to be closed.
func (c *Client) Head(url string) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL = "HEAD", url
	return c.do(context.Background(), r, &r.own)
}

// Post sends a POST request with a body of a media type, and returns the response, which is to be closed. body may be
// nil; see Request.Stream for what becomes of it. A body that is there as bytes already is sent with less work by Do.
func (c *Client) Post(url, contentType string, body io.Reader) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL, r.own.Stream = "POST", url, body
	r.own.Header.Set("Content-Type", contentType)
	return c.do(context.Background(), r, &r.own)
}

// Do sends a request and returns when the head of its response has come: the response is to be closed, whatever its
// status. Redirects are followed as Config says. When ctx ends the request fails, or the reading of its body, with ctx's
// cause. All errors are an *Error.
//
// req is not changed by Do, may be used again when Do has returned, and not by two at the same time. What it
// points at as its body is the request's until the response is closed.
func (c *Client) Do(ctx context.Context, req *Request) (*Response, error) {
	return c.do(ctx, c.response(), req)
}

func (c *Client) do(ctx context.Context, r *Response, req *Request) (*Response, error) {
	c.stats.requests.Add(1)
	if last, err := r.run(ctx, req); err != nil {
		c.stats.failures.Add(1)
		err = last.failed(err)
		last.Close()
		return nil, err
	} else {
		return last, nil
	}
}

// Warmup makes n requests and responses that are at hand for later ones, and opens n connections to the server of each
// URL, which are kept idle. Of HTTP/2 one carries them all. It returns the first error; what has been opened is kept.
func (c *Client) Warmup(n int, urls ...string) error {
	n = max(n, 0)
	made := make([]*Response, n)
	for i := range made {
		made[i] = c.newResponse()
	}
	for _, r := range made {
		c.responses.Put(r)
	}
	for _, url := range urls {
		if err := c.warm(n, url); err != nil {
			return err
		}
	}
	return nil
}

// warm opens n connections to a server.
func (c *Client) warm(n int, url string) error {
	r := c.response()
	defer r.Close()
	r.own.Method, r.own.URL = "GET", url
	err := r.prepare(&r.own)
	if err == nil {
		err = c.pool.Warm(context.Background(), r.call.Key, n)
	}
	if err != nil {
		return &Error{Op: "Warmup", URL: shown(url), Err: err}
	}
	return nil
}

// CloseIdle ends the connections that have no requests.
func (c *Client) CloseIdle() { c.pool.CloseIdle() }

// Close ends all connections: requests that are under way fail, and so do later ones, with ErrClosed. It returns nil.
func (c *Client) Close() error {
	c.end()
	return c.pool.Close()
}
