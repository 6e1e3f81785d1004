package client

import (
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// pool returns the settings for the connection pool.
func (cfg *Config) pool() httpclient.Config {
	none := func(n int) int { return max(n, 0) }
	never := func(d time.Duration) time.Duration { return max(d, 0) }
	return httpclient.Config{
		MaxConnsPerHost: none(cfg.MaxConnsPerHost),
		MaxConns:        none(cfg.MaxConns),
		MaxIdlePerHost:  none(cfg.MaxIdleConnsPerHost),
		MaxIdle:         none(cfg.MaxIdleConns),
		IdleTimeout:     never(cfg.IdleTimeout),
		MaxLifetime:     never(cfg.MaxConnLifetime),
		WaitTimeout:     never(cfg.WaitTimeout),
		KeepNone:        cfg.DisableKeepAlive,
		HTTP1: h1client.Config{
			Limits: http1.Limits{HeadBytes: cfg.MaxHeadBytes, Fields: cfg.MaxHeadFields},
		},
		HTTP2: h2client.Config{
			Wire:         cfg.http2(),
			PingInterval: never(cfg.PingInterval), PingGap: cfg.pingGap(), PingTimeout: cfg.pingTimeout(),
		},
		Engine: netconn.Config{MaxUnread: cfg.maxUnread()},
	}
}

// pingGap returns the silence before a further PING. Servers of gRPC count that silence from the arrival of the PING before.
func (cfg *Config) pingGap() time.Duration {
	if cfg.PingInterval != defaultPing {
		return 0
	}
	return 5*time.Minute + 10*time.Second
}

// pingTimeout returns PingTimeout, or centuries if there is no limit.
func (cfg *Config) pingTimeout() time.Duration {
	if cfg.PingTimeout < 0 {
		return 1 << 62
	}
	return cfg.PingTimeout
}

// The limits that the client announces to servers over HTTP/2.
const (
	streamWindow   = 4 << 20 // bytes; a window grows up to this if the path needs it
	connWindow     = 1 << 30 // bytes; not a limit, since the windows of the streams are
	http2MaxHead   = 16 << 20
	http2MaxFields = 1 << 16
)

func (cfg *Config) http2() http2.Config {
	head, fields := cfg.MaxHeadBytes, cfg.MaxHeadFields
	if head < 0 || head > http2MaxHead {
		head = http2MaxHead
	}
	if fields < 0 || fields > http2MaxFields {
		fields = http2MaxFields
	}
	return http2.Config{
		MaxHeaderList: uint32(head), MaxFields: uint32(fields), Budget: cfg.HTTP2Budget,
		MaxWindow: streamWindow, ConnWindow: connWindow, MaxConnWindow: connWindow,
	}
}

// maxUnread returns the limit for buffered bytes. It leaves room for the longest head that is allowed, which http1 must
// see whole to refuse a longer one.
func (cfg *Config) maxUnread() int {
	if cfg.MaxHeadBytes < 0 {
		return -1
	}
	return max(4<<20, 2*cfg.MaxHeadBytes)
}
