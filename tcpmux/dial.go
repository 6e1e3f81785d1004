package tcpmux

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// dialEngine runs the connections of all dialled sessions of the process. It has no goroutine and no descriptor while there
// are none.
var dialEngine = sync.OnceValue(func() *netconn.Engine { return newEngine(Config{}.settings(), nil, nil) })

// dialler opens the connections of a dialled session.
type dialler struct {
	cfg *settings
	to  address

	mu        sync.Mutex
	waits     dial.Backoff // before attempts to reconnect
	redialled bool         // there was an outage before
	connected time.Time    // when the current connection, or the last one, became the session's
}

// defaultDialer is used if Config.Dial is not set.
var defaultDialer dial.Dialer

// Dial opens a session to a Listener. url is tcp://HOST:PORT or tls://HOST:PORT. ctx applies only to the first connection.
// If a connection breaks later, the session reconnects by itself until it ends.
func Dial(ctx context.Context, url string, cfg Config) (*Session, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	d := &dialler{cfg: cfg.settings(), to: a}
	return d.begin(ctx)
}

// greetingConn is a dialled connection during the greeting.
type greetingConn struct {
	net.Conn
	ahead     []byte        // bytes that were read and not yet parsed
	magicRead bool          // the peer's magic has been read
	timeout   time.Duration // for each expect; 0: none
}

// read reads the next greeting. raw holds its encoded bytes.
func (h *greetingConn) read() (x muxframe.Greeting, raw []byte, err error) {
	for {
		if !h.magicRead {
			n, err := muxframe.ParseMagic(h.ahead)
			if err != nil {
				return x, nil, err
			}
			h.ahead, h.magicRead = h.ahead[n:], n > 0
		}
		if h.magicRead {
			x, n, err := muxframe.ParseGreeting(h.ahead)
			if err != nil || n > 0 {
				raw, h.ahead = h.ahead[:n], h.ahead[n:]
				return x, raw, err
			}
		}
		var b [2048]byte
		n, err := h.Read(b[:])
		h.ahead = append(h.ahead[:len(h.ahead):len(h.ahead)], b[:n]...)
		if err != nil && n == 0 {
			return x, nil, err
		}
	}
}

// expect reads the next greeting, which must be of the given kind. A REFUSED greeting is returned as a *RefusedError.
func (h *greetingConn) expect(kind muxframe.Kind) (x muxframe.Greeting, raw []byte, err error) {
	if h.timeout > 0 {
		_ = h.SetReadDeadline(time.Now().Add(h.timeout))
		defer h.SetReadDeadline(time.Time{})
	}
	x, raw, err = h.read()
	switch {
	case err != nil:
		return x, raw, err
	case x.Kind == muxframe.Refused:
		return x, raw, &RefusedError{Code: x.Code, Text: x.Text}
	case x.Kind != kind:
		return x, raw, muxframe.Broken(x.Kind.String() + " out of turn")
	}
	return x, raw, nil
}

// open opens a connection, including TLS, for a greeting. The connection is closed when ctx ends, unless release was called
// before.
func (d *dialler) open(ctx context.Context) (h *greetingConn, binding []byte, release func() bool, err error) {
	t := &dial.Target{Host: d.to.host, Port: d.to.port, Net: d.cfg.Dial, Secure: netconn.TLSClient}
	if t.Net == nil {
		t.Net = defaultDialer.DialContext
	}
	if d.to.secure {
		if t.TLS = d.cfg.TLS; t.TLS == nil {
			t.TLS = &tls.Config{}
		}
	}
	nc, ahead, err := t.Dial(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("tcpmux: %w", err)
	}
	release = context.AfterFunc(ctx, func() { nc.Close() })
	if tc, ok := nc.(*tls.Conn); ok {
		state := tc.ConnectionState()
		if binding, err = secret.Binding(&state); err != nil {
			nc.Close()
			return nil, nil, nil, err
		}
	}
	return &greetingConn{Conn: nc, ahead: ahead}, binding, release, nil
}

// withHandshakeTimeout returns ctx with the timeout of Config.Handshake.
func (s *settings) withHandshakeTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Handshake == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Handshake)
}

// begin opens a connection and starts a new session on it.
func (d *dialler) begin(ctx context.Context) (*Session, error) {
	ctx, cancel := d.cfg.withHandshakeTimeout(ctx)
	defer cancel()
	h, binding, release, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := greet(h, d.cfg, binding)
	if err == nil && !release() {
		err = ctx.Err()
	}
	if err == nil {
		s.dialler = d
		err = run(s, h.Conn, h.ahead, 0, 0)
	}
	if err != nil {
		h.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return s, nil
}

// greet starts a new session with HELLO and WELCOME on h.
func greet(h *greetingConn, cfg *settings, binding []byte) (*Session, error) {
	private, public := secret.NewKey()
	x := muxframe.Greeting{Kind: muxframe.Hello, Features: cfg.features(), Key: public, Limits: cfg.limits()}
	hello := muxframe.AppendGreeting(nil, &x)
	if _, err := h.Write(append([]byte(muxframe.Magic), hello...)); err != nil {
		return nil, err
	}
	answer, welcome, err := h.expect(muxframe.Welcome)
	if err != nil {
		return nil, err
	}
	secret, err := secret.Derive(private, answer.Key, hello, welcome, binding)
	if err != nil {
		return nil, err
	}
	return newSession(cfg, answer.ID, secret, answer.Limits, answer.Features&x.Features, true), nil
}

// run makes nc the session's connection; ahead was read from it. received is what the peer says it has received; announced is
// what it was told this side has received. run fails if that has changed because another connection was attached meanwhile.
func run(s *Session, nc net.Conn, ahead []byte, received, announced uint64) error {
	attached := make(chan bool, 1)
	err := dialEngine().Run(nc, ahead, func(nc *netconn.Conn) (netconn.Protocol, error) {
		s.mu.Lock()
		var c *conn
		if s.conn == nil && s.core.Received() == announced {
			c = s.attach(nc, received)
		}
		s.unlock()
		attached <- c != nil
		if c == nil {
			return nil, netconn.ErrAbort
		}
		return c, nil
	})
	if err == nil && !<-attached {
		err = errOvertaken
	}
	return err
}

var errOvertaken = errors.New("tcpmux: another connection was faster")

// resume makes one attempt x to resume the session on a new connection.
func (d *dialler) resume(ctx context.Context, s *Session, x *attempt) error {
	ctx, cancel := d.cfg.withHandshakeTimeout(ctx)
	defer cancel()
	begun := time.Now()
	h, binding, release, err := d.open(ctx)
	if err != nil {
		return err
	}
	x.setConnected()
	select {
	case x.fullTimeout <- struct{}{}:
		defer func() { <-x.fullTimeout }()
	default:
		h.timeout = answerTimeout(begun)
	}
	p := secret.Proof{Secret: s.secret, ID: s.id, DiallerNonce: secret.NewNonce(), Binding: binding}
	if err = d.requestChallenge(&p, h); err == nil {
		h.timeout = answerTimeout(begun)
		select {
		case x.proving <- struct{}{}:
			if err = d.sendProof(s, h, &p, release); err == nil {
				return nil // x.proving stays taken: no other attempt is needed
			}
			<-x.proving
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.Close()
	return err
}

// requestChallenge sends RESUME and stores the nonce of the listener's CHALLENGE in p.
func (d *dialler) requestChallenge(p *secret.Proof, h *greetingConn) error {
	b := muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{Kind: muxframe.Resume, ID: p.ID, Nonce: p.DiallerNonce})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.expect(muxframe.Challenge)
	p.ListenerNonce = x.Nonce
	return asOverError(x, err)
}

// sendProof sends PROOF, checks the listener's MAC in RESUMED, and attaches h to the session.
func (d *dialler) sendProof(s *Session, h *greetingConn, p *secret.Proof, release func() bool) error {
	s.mu.Lock()
	p.DiallerReceived = s.core.Received()
	s.mu.Unlock()
	b := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Proof, Received: p.DiallerReceived, MAC: p.MAC(secret.Dialler)})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.expect(muxframe.Resumed)
	if err != nil {
		return asOverError(x, err)
	}
	if p.ListenerReceived = x.Received; !p.Verify(secret.Listener, x.MAC) {
		return muxframe.Broken("the peer does not know the secret of the session")
	}
	if !release() {
		return context.Canceled
	}
	return run(s, h.Conn, h.ahead, x.Received, p.DiallerReceived)
}

// asOverError returns an *overError for a refusal that says the peer has closed the session; other errors are returned
// unchanged.
func asOverError(x muxframe.Greeting, err error) error {
	if r, ok := err.(*RefusedError); ok && r.Code == muxframe.RefusedOver {
		return &overError{x.Received}
	}
	return err
}

// overError is returned by resume when the peer has closed the session in order. received is how many bytes it had received.
type overError struct{ received uint64 }

func (*overError) Error() string { return "tcpmux: the peer has closed the session" }
