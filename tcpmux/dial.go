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

// defaultDialer is used if Config.NetDial is not set.
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

// open opens a connection, including TLS, for a greeting. The connection is closed when ctx ends, unless release was called
// before.
func (d *dialler) open(ctx context.Context) (h *greetingConn, binding []byte, release func() bool, err error) {
	t := &dial.Target{Host: d.to.host, Port: d.to.port, Net: d.cfg.NetDial, Secure: netconn.TLSClient}
	if t.Net == nil {
		t.Net = defaultDialer.DialContext
	}
	if d.to.secure {
		if t.TLS = d.cfg.TLSConfig; t.TLS == nil {
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

// withHandshakeTimeout returns ctx with the timeout of Config.HandshakeTimeout.
func (s *settings) withHandshakeTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.HandshakeTimeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.HandshakeTimeout)
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
		s.origin = d
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

// run makes nc the session's connection; ahead was read from it. received is what the peer says it has received; announced is
// what it was told this side has received. run fails if that has changed because another connection was attached meanwhile.
func run(s *Session, nc net.Conn, ahead []byte, received, announced uint64) error {
	attached := make(chan bool, 1)
	err := dialEngine().Run(nc, ahead, func(nc *netconn.Conn) (netconn.Protocol, error) {
		s.mu.Lock()
		var c *conn
		if s.conn == nil && s.core.Received() == announced {
			c = s.attachLocked(nc, received)
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
