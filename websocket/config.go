package websocket

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/join/backlog"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// Config says how connections are opened and how they behave. A zero field means its default; a negative limit or time
// means none. One Config may be used for any number of connections.
type Config struct {
	// Subprotocols are the subprotocols of this end, best first. A server chooses the first one that the client offers
	// as well; a client offers them all (RFC 6455 §1.9). Conn.Subprotocol returns the choice.
	Subprotocols []string

	// ChooseSubprotocol, if set, chooses the server's subprotocol instead of Subprotocols. It returns one of offers,
	// which are in the client's order, or "" for none. Any other result refuses the handshake with status 500.
	ChooseSubprotocol func(offers []string) string

	// Origins lists origins, besides the request's own host, whose pages may connect to this server. An entry is a host
	// such as "example.com", in which "*" stands for any run of characters but "." ("*.example.com"); an origin with its
	// scheme ("https://example.com"); or "*" alone for every origin. The default port of the scheme may be given or left
	// out. Requests without an Origin do not come from browsers and are accepted (RFC 6455 §10.2).
	//
	// Behind a proxy, the request's host is the one that the proxy sends. Have the proxy pass on the client's Host
	// (nginx: proxy_set_header Host $host), or list the names here that browsers use for the site.
	Origins []string
	// CheckOrigin, if set, decides instead of Origins, also for pages of the request's own host. origin is the request's
	// Origin field as it was sent, or "" if there is none; host is the request's host. A request with two origins is
	// refused without a call. To base the decision on something else, such as a session or a field set by a trusted
	// proxy, make a Config for each request and capture it in the function.
	CheckOrigin func(origin, host string) bool

	// ReadLimit is the maximum length of a received message in bytes, after decompression. A longer message ends the
	// connection with CloseMessageTooBig, and so does one that is too long for a slice, unless it is read with
	// NextReader. Conn.SetReadLimit changes the limit. Default 1 MiB.
	ReadLimit int64

	// Compression says whether permessage-deflate (RFC 7692) is negotiated. Default: it is not.
	Compression Compression
	// CompressionThreshold is the minimum length in bytes of a message to be compressed. Default 512.
	CompressionThreshold int

	// PingInterval is how long the peer may be silent before it is sent a ping. A peer that stays silent for the same
	// time again is considered dead, and the connection ends with ErrSilent. This only happens while the connection is
	// being read. A peer that takes output ahead of the ping is alive: the time for its answer begins when that ends.
	// Default: no pings.
	PingInterval time.Duration
	// CloseTimeout is how long the peer has, from the call of Close, to take everything sent before and to answer the
	// close frame. Default 5 s.
	CloseTimeout time.Duration

	// Slow says what Send does with messages for a peer that takes them more slowly than they come. At most Backlog
	// messages and BacklogBytes bytes wait for each connection; a single message may wait whatever its size.
	// Group.BacklogMemory bounds the backlogs of all connections together. Default: BlockWhenSlow, 64 messages, 1 MiB.
	Slow         Slow
	Backlog      int
	BacklogBytes int64

	// OnOpen, OnMessage and OnClose are called one after the other, on the connection's goroutine. They may block as
	// long as they like; only this connection's peer has to wait. If OnMessage is set, all messages go to it, and
	// ReadMessage and the other read methods fail.
	//
	// OnOpen is called once, before any message. p may be changed and is valid until OnMessage returns. OnClose is
	// called once, after all other callbacks. Its err is a *CloseError if the peer closed or the connection broke, which is
	// CloseAbnormal, ErrClosed after Close or CloseNow, os.ErrDeadlineExceeded if Close could not send everything, and
	// otherwise the rule that the peer broke. Messages that callbacks write leave together, when all messages received at once have been handled.
	OnOpen    func(c *Conn)
	OnMessage func(c *Conn, t MessageType, p []byte)
	OnClose   func(c *Conn, err error)

	// OnPeerClose, if set, is called when the peer's close frame arrives, instead of answering the frame at once. The
	// program may then still write, and answers with Close when it is done. If it has not done so after CloseTimeout,
	// the frame is answered with the peer's code. (RFC 6455 §5.5.1 asks for an answer as soon as practical, and allows
	// to delay it until the current message is sent. Browsers do not deliver messages that arrive after their close().)
	//
	// OnPeerClose is called at most once, after all messages, on the connection's goroutine. It is only used together
	// with OnMessage, and not called for a close frame that answers ours.
	OnPeerClose func(c *Conn, e *CloseError)

	// Group is the Group that the connection belongs to. Default: DefaultGroup.
	Group *Group

	// The fields below are for Dial.

	// Header has further fields of the request, such as cookies, authentication or Origin. Host replaces the host of the
	// URL. The other fields of the handshake cannot be set.
	Header http.Header
	// TLSConfig configures wss, and connections to https proxies except for its ServerName. Default: the system's root
	// certificates. NextProtos is ignored: the only protocol offered is HTTP/1.1.
	TLSConfig *tls.Config
	// Proxy returns the proxy for a request, or nil for none. The scheme of the request's URL is http for ws and https
	// for wss. The scheme of the proxy is http or https, which are sent a CONNECT request, or socks5. Default:
	// http.ProxyFromEnvironment.
	Proxy func(*http.Request) (*url.URL, error)
	// NetDial opens the connection to the server or to its proxy, without TLS. It must return when ctx is done. Default:
	// a dialer that tries the addresses of a name concurrently (RFC 8305), and caches them for 30 s for all calls of
	// Dial.
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Jar has the cookies that are sent besides those of Header, and stores those that responses set. Default:
	// HTTPClient's, or none.
	Jar http.CookieJar
	// HTTPClient, if set, makes the handshake instead of TLSConfig, Proxy, NetDial and Redirects. Its Transport connects, its
	// CheckRedirect decides about redirects (a redirect from wss to ws is never followed), and its Timeout bounds the
	// handshake as well. A Transport that is not an *http.Transport must return the connection as the Body of the 101
	// response, which must be an io.ReadWriteCloser; as that has no deadlines, the connection then uses two more
	// goroutines. Default: none.
	HTTPClient *http.Client
	// HandshakeTimeout bounds Dial and UpgradeConn in addition to their contexts. Default 10 s.
	HandshakeTimeout time.Duration
	// Redirects is the maximum number of redirects to follow. A redirect from wss to ws is never followed. The fields
	// Host, Authorization and Cookie of Header are not sent to another host; a Jar sends each host its own cookies.
	// Default, as in browsers: none.
	Redirects int
}

// Slow is a policy for messages to a peer that takes them too slowly.
type Slow uint8

// The policies. Conn.Dropped counts the messages that are dropped.
const (
	BlockWhenSlow Slow = iota // Send waits for room
	DropOldest                // the oldest waiting message is dropped
	LatestPerKey              // the waiting message with the same key is replaced if there is room, else as DropOldest
	CloseWhenSlow             // the connection ends with ClosePolicyViolation; the peer has CloseTimeout to take the close frame
)

// Compression says how permessage-deflate (RFC 7692) is negotiated.
type Compression uint8

// The kinds of compression. Context takeover compresses small, similar messages far better, and needs memory for each
// connection. With it, every compressed message builds on the one before and must be sent. Messages of Send,
// SendPrepared and Broadcast may be dropped, so they are not compressed then.
const (
	NoCompression     Compression = iota
	NoContextTakeover             // each message is compressed by itself: no memory between messages
	ContextTakeover               // each message is compressed with the end of the ones before as context, if the peer agrees
)

const defaultReadLimit = 1 << 20

// settings is a Config with its defaults in place.
type settings struct {
	Config
	readLimit int64 // 0 for none
	shake     handshake.Settings
}

func (cfg Config) settings() *settings {
	s := &settings{Config: cfg, readLimit: cfg.ReadLimit}
	defaults.SetLimit(&s.readLimit, defaultReadLimit)
	defaults.SetLimit(&s.CompressionThreshold, 512)
	defaults.SetLimit(&s.CloseTimeout, 5*time.Second)
	defaults.SetLimit(&s.HandshakeTimeout, 10*time.Second)
	if s.Group == nil {
		s.Group = DefaultGroup
	}
	_, takeover := s.Group.budgets()
	s.shake = handshake.Settings{
		Subprotocols: cfg.Subprotocols, ChooseSubprotocol: cfg.ChooseSubprotocol, Origins: cfg.Origins, CheckOrigin: cfg.CheckOrigin,
		Compression: permessage.Mode(cfg.Compression), Memory: takeover,
	}
	return s
}

// connConfig returns the part of the settings that a connection with the subprotocol keeps.
func (s *settings) connConfig(subprotocol string) *connConfig {
	memory, _ := s.Group.budgets()
	set := connConfig{
		open: &s.Group.open, closeTimeout: s.CloseTimeout, threshold: s.CompressionThreshold, subprotocol: subprotocol,
		backlog: backlog.Limits{
			Policy: backlog.Policy(s.Slow), Messages: noLimit(s.Backlog, 64, math.MaxInt),
			Bytes: noLimit(s.BacklogBytes, 1<<20, math.MaxInt64), Memory: memory,
		},
	}
	if last := s.Group.lastConfig.Load(); last != nil && *last == set {
		return last
	}
	shared := new(connConfig)
	*shared = set
	s.Group.lastConfig.Store(shared)
	return shared
}

// noLimit replaces a zero field by the default value, and a negative one, which means no limit, by most.
func noLimit[T int | int64](field, value, most T) T {
	if defaults.Set(&field, value); field < 0 {
		return most
	}
	return field
}
