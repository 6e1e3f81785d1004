package client

import (
	"context"
	"io"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Client sends requests and keeps connections for further requests. All methods may be called concurrently. A program
// should make one Client, share it, and close it at the end.
type Client struct {
	shared shared
	opener opener
	end    context.CancelFunc // of opener.life
}

// NewClient returns a Client with the default configuration.
func NewClient() *Client { return New(Config{}) }

// NewClientConfig returns a Client with the given configuration.
//
// Deprecated: use New.
func NewClientConfig(cfg Config) *Client { return New(cfg) }

// New returns a Client with the given configuration.
func New(cfg Config) *Client {
	c := new(Client)
	s, o := &c.shared, &c.opener
	s.init(cfg)
	o.cfg, o.proxies, o.tls = &s.cfg, &s.proxies, tlsConfig(&s.cfg, s.versions.names())
	o.life, c.end = context.WithCancel(context.Background())
	pool := s.cfg.pool()
	pool.Open = o.open
	if cfg.HTTP3 != nil {
		pool.HTTP3 = cfg.HTTP3
		pool.Carrier = carrier.ClientConfig{
			TLS: o.tls, IdleTimeout: pool.IdleTimeout,
			HeadBytes: int(pool.HTTP2.Wire.MaxHeaderList), HeadFields: int(pool.HTTP2.Wire.MaxFields), Budget: cfg.HTTP2Budget,
		}
	}
	s.pool = httpclient.New(pool)
	return c
}

// Get sends a GET request and returns the response. The caller must close the response.
func (c *Client) Get(url string) (*Response, error) {
	e := c.exchange()
	e.own.Method, e.own.URL = "GET", url
	return c.do(context.Background(), e, &e.own)
}

// Head sends a HEAD request and returns the response. The caller must close the response.
func (c *Client) Head(url string) (*Response, error) {
	e := c.exchange()
	e.own.Method, e.own.URL = "HEAD", url
	return c.do(context.Background(), e, &e.own)
}

// Post sends a POST request with a body of the given media type and returns the response, which the caller must close.
// body may be nil; Request.Stream says how it is read and closed. If the body is a []byte, Do with Request.Body is
// cheaper.
func (c *Client) Post(url, contentType string, body io.Reader) (*Response, error) {
	e := c.exchange()
	e.own.Method, e.own.URL, e.own.Stream = "POST", url, body
	e.own.Header.Set("Content-Type", contentType)
	return c.do(context.Background(), e, &e.own)
}

// Do sends a request and returns when the head of its response has arrived. The caller must close the response, whatever
// its status is. Redirects are followed as Config says. If ctx is done Do fails, or reading the body fails, with the
// context's cause. Errors of Do are always an *Error.
//
// Do does not change req. When Do has returned req may be used again, but never by two calls at the same time. The body
// that req refers to must not be changed until the response is closed.
func (c *Client) Do(ctx context.Context, req *Request) (*Response, error) {
	return c.do(ctx, c.exchange(), req)
}

// exchange returns an exchange that is not in use.
func (c *Client) exchange() *exchange { return takeExchange(&c.shared) }

func (c *Client) do(ctx context.Context, e *exchange, req *Request) (*Response, error) {
	c.shared.stats.requests.Add(1)
	last, err := e.run(ctx, req)
	if err != nil {
		c.shared.stats.failures.Add(1)
		of := last.out.subject()
		err = of.wrap(err)
		last.resp.Close()
		return nil, err
	}
	return &last.resp, nil
}

// Warmup allocates n requests and responses for later use, and opens n connections to the server of each URL, which stay
// idle; for HTTP/2 it opens one. It returns the first error. Connections that have been opened until then are kept.
func (c *Client) Warmup(n int, urls ...string) error {
	n = max(n, 0)
	made := make([]*exchange, n)
	for i := range made {
		made[i] = newExchange(&c.shared)
	}
	for _, e := range made {
		c.shared.exchanges.Put(e)
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
	e := c.exchange()
	defer e.resp.Close()
	e.own.Method, e.own.URL = "GET", url
	err := e.prepare(&e.own)
	if err == nil {
		err = c.shared.pool.Warm(context.Background(), e.out.call.Key, n)
	}
	if err != nil {
		return &Error{Op: "Warmup", URL: redacted(url), Err: err}
	}
	return nil
}

// CloseIdle closes the connections that have no requests.
func (c *Client) CloseIdle() { c.shared.pool.CloseIdle() }

// Close closes all connections. Requests that are under way, and later ones, fail with ErrClosed. Close returns nil.
func (c *Client) Close() error {
	c.end()
	return c.shared.pool.Close()
}
