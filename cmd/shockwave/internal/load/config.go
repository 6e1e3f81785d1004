package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// Config configures a run. A zero field means its default.
type Config struct {
	URL      *url.URL         // http or https; ws or wss for WebSocket; tcp or tls for length-prefixed messages; with a host
	More     []*url.URL       // over HTTP: further URLs of the same server, which take turns with URL on each connection
	Method   string           // default GET, or POST with a Body
	Header   shockwave.Header // further fields; Host, Content-Length and User-Agent replace the automatic ones
	Body     []byte           // of every request; not changed, and not used after Run
	Same     bool             // over HTTP: responses must be like the first one from their URL in status and length
	Message  message.Spec     // with ws, wss, tcp and tls: instead of Method and Body
	Conns    int              // connections; default 64
	Pipeline int              // per connection: requests in flight, or streams of HTTP/2 and HTTP/3; one way: messages in a write; default 1
	HTTP2    bool             // with http and https: HTTP/2, with prior knowledge (RFC 9113 §3.3) or by ALPN
	HTTP3    bool             // with https: HTTP/3, over UDP
	Rate     float64          // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration    // load without counting, after all connections are open; default none
	Duration time.Duration    // counted time; default 10 s
	Requests int64            // end early after this many requests were answered or failed; 0: no limit; not with Warmup
	Timeout  time.Duration    // for connecting, the handshake and each response; default 10 s
	TLS      *tls.Config      // for https, wss and tls; default: verify the server's certificate

	// Began and Ended, if set, are called when counting begins and ends.
	Began, Ended func()
	// Progress, if set, is called after each second of the run, one call at a time, on a goroutine of Run.
	Progress func(account.Second)

	started func()       // called when the first requests may be sent, for tests
	dial    tcp.DialFunc // instead of TCP, for tests
}

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
	return cfg, nil
}

// check returns an error if cfg is not valid.
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
	case !CarriesMessages(cfg.URL) && cfg.Message != message.Spec{}:
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
	case CarriesMessages(cfg.URL):
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
	case m.Size < 0 || (m.Prefixed || IsStream(cfg.URL)) && lenframe.Check(m.Size, 0) != nil:
		return errors.New("load: a message of a size that cannot be")
	case m.Prefixed && (m.Text || m.Deflate):
		return errors.New("load: a stream of bytes is neither text nor compressed by the message")
	case IsStream(cfg.URL) && (m.Text || m.Deflate || m.Prefixed):
		return errors.New("load: WebSocket's messages without WebSocket")
	case IsStream(cfg.URL) && cfg.URL.Port() == "":
		return errors.New("load: the URL has no port, and there is no usual one")
	case IsStream(cfg.URL) && (strings.Trim(cfg.URL.Path, "/") != "" || cfg.URL.RawQuery != "" || cfg.Header.Len() > 0):
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
