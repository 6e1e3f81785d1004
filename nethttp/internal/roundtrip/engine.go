// Package roundtrip is the engine of nethttp.Transport: it sends an *http.Request over the connections of package
// httpclient and makes an *http.Response of what comes back, as http.Transport does.
//
//	Engine ─► call ─► httpclient ─► reply
//	   └────► opener: dials, proxies, TLS
package roundtrip

import (
	"net/http"
	"sync"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Engine is a Transport without its settings. All methods may be called concurrently after Init.
type Engine struct {
	connector connector
	client    *httpclient.Client
	http3     bool
	maxHead   int // bytes of a head of HTTP/1.1
	calls     sync.Pool
	alt       altSchemes
	running   inProgress
}

// Init prepares t for its first request. settings returns the settings at the time of the call. adapt, unless nil, may
// change the configuration of the client.
func (t *Engine) Init(settings func() *Settings, adapt func(*httpclient.Config)) {
	now := settings()
	t.connector.init(settings, now.protocols())
	t.http3, t.maxHead = now.HTTP3 != nil, now.headBytes()
	cfg := now.config()
	cfg.Open = t.connector.open
	if adapt != nil {
		adapt(&cfg)
	}
	t.client = httpclient.New(cfg)
}

// CloseIdle closes the connections that have no requests.
func (t *Engine) CloseIdle() {
	t.client.CloseIdle()
	t.connector.nextProto.closeIdle()
}

// Close closes all connections; requests in progress and later ones fail.
func (t *Engine) Close() error {
	t.connector.nextProto.closeIdle()
	return t.client.Close()
}

// Running reports whether there are requests in progress.
func (t *Engine) Running() bool { return t.running.any() }

// HTTP2Config returns the configuration of connections of HTTP/2 with the settings s.
func HTTP2Config(s *Settings) http2.Config { return s.http2Config().Wire }

// RegisterProtocol makes rt handle the requests to URLs with the given scheme. It panics if the scheme is registered
// already.
func (t *Engine) RegisterProtocol(scheme string, rt http.RoundTripper) { t.alt.register(scheme, rt) }

// CancelRequest cancels a request in progress, and closes its connection.
func (t *Engine) CancelRequest(req *http.Request) {
	if r := t.running.find(req); r != nil {
		r.cancel(r.whyCanceled())
	}
}
