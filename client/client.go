package client

import (
	"context"
	"crypto/tls"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Header is a list of field lines.
type Header = shockwave.Header

// Client sends requests and keeps connections for further requests. All methods may be called concurrently. A program
// should make one Client, share it, and close it at the end.
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

// NewClient returns a Client with the default configuration.
func NewClient() *Client { return NewClientConfig(Config{}) }

// NewClientConfig returns a Client with the given configuration.
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
	if cfg.HTTP3 != nil {
		pool.HTTP3 = cfg.HTTP3.NewCarrier(carrier.ClientConfig{
			TLS: c.tls, IdleTimeout: pool.IdleTimeout,
			HeadBytes: int(pool.HTTP2.Wire.MaxHeaderList), HeadFields: int(pool.HTTP2.Wire.MaxFields), Budget: cfg.HTTP2Budget,
		})
	}
	c.pool = httpclient.New(pool)
	return c
}

// Get sends a GET request and returns the response. The caller must close the response.
func (c *Client) Get(url string) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL = "GET", url
	return c.do(context.Background(), r, &r.own)
}

// Head sends a HEAD request and returns the response. The caller must close the response.
func (c *Client) Head(url string) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL = "HEAD", url
	return c.do(context.Background(), r, &r.own)
}

// Post sends a POST request with a body of the given media type and returns the response, which the caller must close.
// body may be nil; Request.Stream says how it is read and closed. If the body is a []byte, Do with Request.Body is
// cheaper.
func (c *Client) Post(url, contentType string, body io.Reader) (*Response, error) {
	r := c.response()
	r.own.Method, r.own.URL, r.own.Stream = "POST", url, body
	r.own.Header.Set("Content-Type", contentType)
	return c.do(context.Background(), r, &r.own)
}

// Do sends a request and returns when the head of its response has arrived. The caller must close the response, whatever
// its status is. Redirects are followed as Config says. If ctx is done Do fails, or reading the body fails, with the
// context's cause. Errors of Do are always an *Error.
//
// Do does not change req. When Do has returned req may be used again, but never by two calls at the same time. The body
// that req refers to must not be changed until the response is closed.
func (c *Client) Do(ctx context.Context, req *Request) (*Response, error) {
	return c.do(ctx, c.response(), req)
}

func (c *Client) do(ctx context.Context, r *Response, req *Request) (*Response, error) {
	c.stats.requests.Add(1)
	if last, err := r.run(ctx, req); err != nil {
		c.stats.failures.Add(1)
		err = last.wrapError(err)
		last.Close()
		return nil, err
	} else {
		return last, nil
	}
}

// Warmup allocates n requests and responses for later use, and opens n connections to the server of each URL, which stay
// idle; for HTTP/2 it opens one. It returns the first error. Connections that have been opened until then are kept.
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

// warm opens n connections to the server of url.
func (c *Client) warm(n int, url string) error {
	r := c.response()
	defer r.Close()
	r.own.Method, r.own.URL = "GET", url
	err := r.prepare(&r.own)
	if err == nil {
		err = c.pool.Warm(context.Background(), r.call.Key, n)
	}
	if err != nil {
		return &Error{Op: "Warmup", URL: redacted(url), Err: err}
	}
	return nil
}

// CloseIdle closes the connections that have no requests.
func (c *Client) CloseIdle() { c.pool.CloseIdle() }

// Close closes all connections. Requests that are under way, and later ones, fail with ErrClosed. Close returns nil.
func (c *Client) Close() error {
	c.end()
	return c.pool.Close()
}
