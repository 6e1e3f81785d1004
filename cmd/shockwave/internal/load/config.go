package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// withDefaults returns cfg with defaults in place of zeros, or an error if cfg is not valid.
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

// schemes lists the supported URL schemes.
var schemes = []string{"http", "https", "ws", "wss", "tcp", "tls"}

// webSocket reports whether messages are sent over WebSocket.
func (cfg *Config) webSocket() bool { return cfg.URL.Scheme == "ws" || cfg.URL.Scheme == "wss" }

// stream reports whether messages are sent with a length prefix, without WebSocket.
func (cfg *Config) stream() bool { return cfg.URL.Scheme == "tcp" || cfg.URL.Scheme == "tls" }

// messages reports whether messages are sent rather than HTTP requests.
func (cfg *Config) messages() bool { return cfg.webSocket() || cfg.stream() }

// secure reports whether TLS is used.
func (cfg *Config) secure() bool {
	return cfg.URL.Scheme == "https" || cfg.URL.Scheme == "wss" || cfg.URL.Scheme == "tls"
}

// request builds the requests or messages.
func (cfg *Config) request() (*request, error) {
	if cfg.messages() {
		return newMessages(cfg)
	}
	switch {
	case cfg.HTTP3:
		return newH3Request(cfg)
	case cfg.HTTP2:
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
	case cfg.HTTP3 && cfg.URL.Scheme != "https":
		return errors.New("load: HTTP/3 is spoken with https only")
	case cfg.HTTP2 && cfg.HTTP3:
		return errors.New("load: HTTP/2 and HTTP/3 at once")
	case !cfg.messages() && cfg.Message != Message{}:
		return errors.New("load: messages over HTTP")
	case len(cfg.More) >= maxURLs:
		return fmt.Errorf("load: %d URLs are more than %d", len(cfg.More)+1, maxURLs)
	case !cfg.oneServer():
		return errors.New("load: the URLs are not all of one server: scheme, host and port must be the same")
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
	case cfg.messages():
		return cfg.checkMessages()
	}
	return nil
}

// checkMessages is the part of check about messages.
func (cfg *Config) checkMessages() error {
	m := &cfg.Message
	switch {
	case cfg.Method != "" && cfg.Method != "GET" || len(cfg.Body) > 0:
		return errors.New("load: a method or a body with messages")
	case cfg.Same:
		return errors.New("load: echoes are always held against what was sent")
	case len(cfg.More) > 0:
		return errors.New("load: several URLs with messages")
	case cfg.HTTP2, cfg.HTTP3:
		return errors.New("load: WebSocket over HTTP/2 or HTTP/3")
	case m.Takeover && !m.Deflate:
		return errors.New("load: context takeover without compression")
	case m.Size < 0 || m.lengthPrefixed(cfg) && lenframe.Check(m.Size, 0) != nil:
		return errors.New("load: a message of a size that cannot be")
	case m.Prefixed && (m.Text || m.Deflate):
		return errors.New("load: a stream of bytes is neither text nor compressed by the message")
	case cfg.stream() && (m.Text || m.Deflate || m.Prefixed):
		return errors.New("load: WebSocket's messages without WebSocket")
	case cfg.stream() && cfg.URL.Port() == "":
		return errors.New("load: the URL has no port, and there is no usual one")
	case cfg.stream() && (strings.Trim(cfg.URL.Path, "/") != "" || cfg.URL.RawQuery != "" || cfg.Header.Len() > 0):
		return errors.New("load: a path or a field where nothing is asked for")
	}
	return nil
}

// maxURLs limits the number of URLs, since statistics are kept for each.
const maxURLs = 100_000

// urls returns all URLs in order.
func (cfg *Config) urls() []*url.URL { return append([]*url.URL{cfg.URL}, cfg.More...) }

// oneServer reports whether all URLs can share a connection.
func (cfg *Config) oneServer() bool {
	for _, u := range cfg.More {
		if u == nil || u.Scheme != cfg.URL.Scheme || u.Host != cfg.URL.Host {
			return false
		}
	}
	return true
}

// address returns the address to dial.
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

// clientTLS returns the TLS configuration, or nil without TLS. Every connection makes a full handshake, unless cfg.TLS
// has a session cache.
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
	switch {
	case cfg.stream():
		t.NextProtos = nil
	case cfg.HTTP3:
		t.NextProtos = []string{"h3"}
	case cfg.HTTP2:
		t.NextProtos = []string{"h2"}
	default:
		t.NextProtos = []string{"http/1.1"}
	}
	return t
}
