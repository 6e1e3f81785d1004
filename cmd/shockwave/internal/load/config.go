package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
)

// withDefaults returns cfg with every zero replaced by its default, or says what is wrong with it.
func (cfg Config) withDefaults() (Config, error) {
	if err := cfg.check(); err != nil {
		return cfg, err
	}
	defaults.Set(&cfg.Conns, 64)
	defaults.Set(&cfg.Pipeline, 1)
	defaults.Set(&cfg.Duration, 10*time.Second)
	defaults.Set(&cfg.Timeout, 10*time.Second)
	defaults.Set(&cfg.Method, "GET")
	if len(cfg.Body) > 0 && cfg.Method == "GET" {
		cfg.Method = "POST"
	}
	cfg.TLS = cfg.clientTLS()
	return cfg, nil
}

// schemes are those of URLs that load can be driven at.
var schemes = []string{"http", "https", "ws", "wss"}

// webSocket tells whether messages are sent over WebSocket, and not requests over HTTP.
func (cfg *Config) webSocket() bool { return cfg.URL.Scheme == "ws" || cfg.URL.Scheme == "wss" }

// secure tells whether it is done over TLS.
func (cfg *Config) secure() bool { return cfg.URL.Scheme == "https" || cfg.URL.Scheme == "wss" }

// request builds what is sent again and again.
func (cfg *Config) request() (*request, error) {
	if cfg.webSocket() {
		return newMessages(cfg)
	}
	if cfg.HTTP2 {
		return newH2Request(cfg)
	}
	return newRequest(cfg)
}

func (cfg *Config) check() error {
	switch {
	case cfg.URL == nil || cfg.URL.Hostname() == "":
		return errors.New("load: the URL has no host")
	case !slices.Contains(schemes, cfg.URL.Scheme):
		return fmt.Errorf("load: the URL's scheme is %q, not one of %q", cfg.URL.Scheme, schemes)
	case cfg.webSocket() && (cfg.Method != "" && cfg.Method != "GET" || len(cfg.Body) > 0):
		return errors.New("load: a method or a body with WebSocket")
	case cfg.webSocket() && cfg.Same:
		return errors.New("load: echoes are always held against what was sent")
	case cfg.webSocket() && len(cfg.More) > 0:
		return errors.New("load: several URLs with WebSocket")
	case cfg.webSocket() && cfg.HTTP2:
		return errors.New("load: WebSocket over HTTP/2")
	case !cfg.webSocket() && cfg.Message != Message{}:
		return errors.New("load: WebSocket messages over HTTP")
	case len(cfg.More) >= mostURLs:
		return fmt.Errorf("load: %d URLs are more than %d", len(cfg.More)+1, mostURLs)
	case !cfg.oneServer():
		return errors.New("load: the URLs are not all of one server: scheme, host and port must be the same")
	case cfg.Message.Takeover && !cfg.Message.Deflate:
		return errors.New("load: context takeover without compression")
	case cfg.Message.Size < 0:
		return errors.New("load: a message of a negative size")
	case cfg.Method == "CONNECT":
		return errors.New("load: CONNECT asks for a tunnel, not for an answer")
	case cfg.Conns < 0 || cfg.Pipeline < 0:
		return errors.New("load: fewer than no connections or requests")
	case cfg.Rate < 0 || math.IsNaN(cfg.Rate) || cfg.Rate > 1e9:
		return fmt.Errorf("load: no rate: %v requests per second", cfg.Rate)
	case cfg.Requests < 0 || cfg.Requests > 0 && cfg.Warmup > 0:
		return errors.New("load: a number of requests that is negative, or with a warm-up")
	case cfg.Warmup < 0 || cfg.Duration < 0 || cfg.Timeout < 0:
		return errors.New("load: a negative time")
	}
	return nil
}

// mostURLs bounds what is kept for each of a run's URLs.
const mostURLs = 100_000

// urls are all that are asked for, in their order.
func (cfg *Config) urls() []*url.URL { return append([]*url.URL{cfg.URL}, cfg.More...) }

// oneServer tells whether one connection will do for all URLs.
func (cfg *Config) oneServer() bool {
	for _, u := range cfg.More {
		if u == nil || u.Scheme != cfg.URL.Scheme || u.Host != cfg.URL.Host {
			return false
		}
	}
	return true
}

// address is what to dial.
func (cfg *Config) address() string {
	port := cfg.URL.Port()
	switch {
	case port != "":
	case cfg.secure():
		port = "https"
	default:
		port = "http"
	}
	return net.JoinHostPort(cfg.URL.Hostname(), port)
}

// clientTLS returns the TLS of an https or wss run, nil for the others. Without a session cache in cfg.TLS every connection makes a
// full handshake, as the first one of a client does.
func (cfg *Config) clientTLS() *tls.Config {
	if !cfg.secure() {
		return nil
	}
	t := &tls.Config{}
	if cfg.TLS != nil {
		t = cfg.TLS.Clone()
	}
	if t.ServerName == "" {
		t.ServerName = cfg.URL.Hostname()
	}
	t.NextProtos = []string{"http/1.1"}
	if cfg.HTTP2 {
		t.NextProtos = []string{"h2"}
	}
	return t
}
