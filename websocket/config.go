package websocket

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
)

// Config says how connections are opened and behave. A zero field is its default; a negative limit or time is none. One
// Config serves any number of connections.
type Config struct {
	// Subprotocols that this end speaks, best first. A server chooses the first of its own that the client offers, a
	// client offers all (RFC 6455 §1.9). Conn.Subprotocol tells the choice.
	Subprotocols []string

	// ChooseSubprotocol chooses for a server, in Subprotocols' stead: one of offers, which are in the client's order, or
	// "" for none. Any other answer refuses the handshake with 500.
	ChooseSubprotocol func(offers []string) string

	// Origins are the further origins whose pages may connect to this server, beside those of the host that the request
	// is for: a host such as "example.com", with "*" for any run of characters but "." ("*.example.com"), an origin with
	// its scheme ("https://example.com"), or "*" alone for every one. A port that the scheme has anyway may stand there or not.
	// Requests without an Origin do not come from browsers and are let through (RFC 6455 §10.2).
	//
	// Behind a proxy the host is what the proxy sends: have it pass the client's Host on (nginx: proxy_set_header Host
	// $host), or list the names here by which browsers know the site.
	Origins []string
	// CheckOrigin decides in Origins' stead, also about the host's own pages: origin is the request's, as it was sent, and
	// empty if it has none; host is what the request is for. Two origins are refused. What else counts, a session or a
	// field that a trusted proxy sets, a Config that is made for the request has in the function's closure.
	CheckOrigin func(origin, host string) bool

	// ReadLimit is the most bytes that a message may have, after decompression; longer ones end the connection with
	// CloseMessageTooBig, as do those that no slice can hold unless NextReader hands them out. Conn.SetReadLimit changes
	// it. Default 1 MiB.
	ReadLimit int64

	// Compression says whether permessage-deflate is negotiated (RFC 7692). Default: it is not.
	Compression Compression
	// CompressionThreshold is how long a message must be to be compressed, in bytes. Default 512.
	CompressionThreshold int

	// PingInterval is how long a peer may be silent until it is asked for a sign of life; one that is silent for as
	// long again is gone, and its connection ends with ErrSilent. Only who is read from is judged. Default none.
	PingInterval time.Duration
	// CloseTimeout is how long the peer may take, from the call of Close, for what was sent before and for its answer to
	// the close frame. Default 5 s.
	CloseTimeout time.Duration

	// Slow says what Send does with messages for a peer that does not take them as fast as they come. Backlog is how many
	// of them wait at most, and BacklogBytes how many bytes of them; one may wait whatever its size. All connections of the
	// program are bounded together, too: see SetBacklogMemory. Default: BlockWhenSlow, 64 messages, 1 MiB.
	Slow         Slow
	Backlog      int
	BacklogBytes int64

	// OnOpen, OnMessage and OnClose are called on the connection's goroutine, one after the other, and may block for
	// as long as they like: the connection's peer waits, nobody else. With an OnMessage they are how messages are
	// read; ReadMessage and its kind fail then.
	//
	// OnOpen is called once, before any message. p is valid until OnMessage returns and may be changed. OnClose is
	// called once and last, also if OnOpen has not been: err is a *CloseError if the peer has closed, net.ErrClosed after
	// Close and CloseNow, os.ErrDeadlineExceeded if Close has not sent everything, else what broke.
	// What the callbacks write leaves together when all messages of one receive have been handled.
	OnOpen    func(c *Conn)
	OnMessage func(c *Conn, t MessageType, p []byte)
	OnClose   func(c *Conn, err error)

	// OnPeerClose has a peer's close frame end only what the peer sends: it is called where the frame would be answered, and
	// the program answers it, with Close, when it has written what the peer is still to have. After CloseTimeout that is done
	// for it, with the peer's code. RFC 6455 §5.5.1 wants the answer soon, and lets it wait for the end of what is being
	// sent. Browsers pass on nothing that comes after their close(). It is called at most once, behind all messages, on the
	// connection's goroutine, and counts with an OnMessage only; a close frame that answers ours it is not told of.
	OnPeerClose func(c *Conn, e *CloseError)

	// Group is whom the connection ends with. Default: DefaultGroup.
	Group *Group

	// What follows is Dial's.

	// Header goes with the request: cookies, authentication, Origin. Host stands for the URL's. The other fields of the
	// handshake cannot be set.
	Header http.Header
	// TLS is for wss, and but for its ServerName for https proxies. Default: the system's roots. NextProtos is ignored:
	// HTTP/1.1 is asked for.
	TLS *tls.Config
	// Proxy returns the proxy for a request, whose URL has the scheme http for ws and https for wss; nil for none. Its
	// scheme is http, https (both are asked for a tunnel with CONNECT) or socks5. Default: http.ProxyFromEnvironment.
	Proxy func(*http.Request) (*url.URL, error)
	// NetDial opens the connection to the server, or to its proxy; TLS is not its business. It must return when ctx
	// ends. Default: the addresses of a name are tried side by side (RFC 8305), and kept for 30 s for all that Dial opens.
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Jar gives the cookies that go with the request, beside those of Header, and keeps those that answers set. Default:
	// HTTPClient's, else none.
	Jar http.CookieJar
	// HTTPClient makes the handshake, in place of TLS, Proxy, NetDial and Redirects: its Transport connects, its
	// CheckRedirect decides about redirects, its Timeout is one more bound. None of them leads from wss to ws. A Transport
	// that is not an *http.Transport must return the connection as the Body of a 101, an io.ReadWriteCloser; it takes two
	// goroutines then, as it has no deadlines. Default: none.
	HTTPClient *http.Client
	// HandshakeTimeout bounds Dial and UpgradeConn beside their contexts. Default 10 s.
	HandshakeTimeout time.Duration
	// Redirects is how many redirects are followed, none of them from wss to ws. Another host is not told Host,
	// Authorization and cookies of Header; of Jar's it is told its own. Default 0 or fewer: none, as browsers do.
	Redirects int
}

// Slow is a policy for messages to a peer that does not keep up.
type Slow uint8

// The policies. Messages that are dropped are counted: see Conn.Dropped.
const (
	BlockWhenSlow Slow = iota // Send waits
	DropOldest                // the message that has waited longest is dropped
	LatestPerKey              // a message takes the place of the one with the same key; else as DropOldest
	CloseWhenSlow             // the connection ends with ClosePolicyViolation, which the peer has CloseTimeout to take
)

// Compression is what is negotiated of permessage-deflate (RFC 7692).
type Compression uint8

// How much. Context takeover compresses small messages that are alike far better, and costs memory for each connection.
// What may be dropped nothing can build on: messages of Send, SendPrepared and Broadcast are not compressed then.
const (
	NoCompression     Compression = iota
	NoContextTakeover             // each message by itself: no memory between messages
	ContextTakeover               // each message goes on where the last one ended, if the peer agrees
)

const defaultReadLimit = 1 << 20

// settings are a Config with its defaults in place.
type settings struct {
	Config
	readLimit int64
	threshold int
	backlog   int
	most      int64 // BacklogBytes
}

// conduct is what an open connection needs of its settings, its callbacks aside. It is not changed once made, and
// connections of a Group that come one after the other with equal ones share it.
type conduct struct {
	group        *Group
	closeTimeout time.Duration
	threshold    int32
	backlog      int32
	backlogBytes int64
	slow         Slow
}

func (s *settings) conduct() *conduct {
	set := conduct{
		group: s.Group, closeTimeout: s.CloseTimeout,
		threshold: int32(min(s.threshold, math.MaxInt32)), backlog: int32(min(s.backlog, math.MaxInt32)), slow: s.Slow,
		backlogBytes: s.most,
	}
	if last := s.Group.conduct.Load(); last != nil && *last == set {
		return last
	}
	shared := new(conduct)
	*shared = set
	s.Group.conduct.Store(shared)
	return shared
}

func (cfg Config) settings() *settings {
	s := &settings{Config: cfg, readLimit: cfg.ReadLimit, threshold: cfg.CompressionThreshold}
	defaults.SetLimit(&s.readLimit, defaultReadLimit)
	defaults.SetLimit(&s.threshold, 512)
	s.backlog, s.most = noLimit(s.Backlog, 64, math.MaxInt32), noLimit(s.BacklogBytes, 1<<20, math.MaxInt64)
	defaults.SetLimit(&s.CloseTimeout, 5*time.Second)
	defaults.SetLimit(&s.HandshakeTimeout, 10*time.Second)
	if s.Group == nil {
		s.Group = DefaultGroup
	}
	return s
}

// noLimit resolves a field of which none is as much as most.
func noLimit[T int | int64](field, value, most T) T {
	if defaults.Set(&field, value); field < 0 {
		return most
	}
	return field
}
