package roundtrip

import (
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// config translates the fields into the configuration of httpclient.
func (t *Settings) config() httpclient.Config {
	cfg := httpclient.Config{
		MaxConnsPerHost: max(t.MaxConnsPerHost, 0),
		MaxIdlePerHost:  t.MaxIdleConnsPerHost,
		MaxIdle:         max(t.MaxIdleConns, 0),
		IdleTimeout:     max(t.IdleConnTimeout, 0),
		KeepNone:        t.MaxIdleConnsPerHost < 0,
		HTTP1:           t.http1Config(),
		HTTP2:           t.http2Config(),
		Engine:          t.engineConfig(),
	}
	if cfg.MaxIdlePerHost == 0 {
		cfg.MaxIdlePerHost = http.DefaultMaxIdleConnsPerHost
	}
	if t.HTTP3 != nil {
		cfg.HTTP3, cfg.Carrier = t.HTTP3, carrier.ClientConfig{
			TLS: t.TLSClientConfig, IdleTimeout: cfg.IdleTimeout,
			HeadBytes: int(cfg.HTTP2.Wire.MaxHeaderList), HeadFields: maxResponseFields, Budget: t.HTTP2Budget,
		}
	}
	cfg.Strict = t.HTTP2 != nil && t.HTTP2.StrictMaxConcurrentRequests
	return cfg
}

// engineConfig returns the configuration of the engine that runs the connections.
func (t *Settings) engineConfig() netconn.Config {
	return netconn.Config{
		ReadBuffer: max(t.ReadBufferSize, 0),
		MaxUnread:  max(4<<20, t.headBytes()+1), // http1 must see more than the longest allowed head to refuse a longer one
	}
}

// Limits for servers unless fields set others.
const (
	maxHTTP1Head      = 10 << 20 // bytes, as in http.Transport
	maxResponseHead   = 1 << 20  // bytes, for HTTP/2
	maxResponseFields = 2000
	streamWindow      = 4 << 20 // bytes; a window grows up to this size if the path needs it
	connWindow        = 1 << 30 // bytes: the windows of the streams bound what is buffered
)

// http1Config returns the configuration of HTTP/1.1.
func (t *Settings) http1Config() h1client.Config {
	return h1client.Config{
		Limits:         http1.Limits{HeadBytes: t.headBytes(), Fields: maxResponseFields},
		AllowTruncated: true, // as in http.Transport
	}
}

// headBytes returns the maximum size of an HTTP/1.1 head.
func (t *Settings) headBytes() int {
	if n := t.MaxResponseHeaderBytes; n > 0 {
		return int(min(n, 1<<30))
	}
	return maxHTTP1Head
}

// http2Config translates HTTP2 and other fields into the configuration of h2client.
func (t *Settings) http2Config() h2client.Config {
	cfg := h2client.Config{
		Wire: http2.Config{
			MaxHeaderList: maxResponseHead, MaxFields: maxResponseFields, Budget: t.HTTP2Budget,
			StallTimeout: -1, // requests have contexts for that
			MaxWindow:    streamWindow, ConnWindow: connWindow, MaxConnWindow: connWindow,
		},
	}
	if n := t.MaxResponseHeaderBytes; n > 0 {
		cfg.Wire.MaxHeaderList = uint32(min(n, 16<<20))
	}
	h := t.HTTP2
	if h == nil {
		return cfg
	}
	cfg.PingInterval, cfg.PingTimeout = h.SendPingTimeout, h.PingTimeout
	cfg.CountError, cfg.WriteByteTimeout = h.CountError, h.WriteByteTimeout
	cfg.Wire.MaxFrameSize = uint32(max(h.MaxReadFrameSize, 0))
	cfg.Wire.DecoderTable = uint32(max(h.MaxDecoderHeaderTableSize, 0))
	cfg.Wire.EncoderTable = uint32(max(h.MaxEncoderHeaderTableSize, 0))
	if n := h.MaxReceiveBufferPerConnection; n >= 64<<10 {
		cfg.Wire.ConnWindow, cfg.Wire.MaxConnWindow = 0, uint32(n)
	}
	if n := h.MaxReceiveBufferPerStream; n > 0 {
		cfg.Wire.MaxWindow = uint32(n)
		cfg.Wire.InitialWindow = uint32(min(n, 1<<16-1))
	}
	return cfg
}
