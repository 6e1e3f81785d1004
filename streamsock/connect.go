package streamsock

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// dialler opens the connection of a peer, and opens it again after it has ended.
type dialler struct {
	*dialling
	sock *Socket
	peer *Peer
}

// Connect dials an address, and dials it again whenever the connection has ended, until Disconnect. It returns at once;
// messages that are sent before there is a connection are queued. The error is about the address, or ErrClosed.
func (s *Socket) Connect(addr string) (*Peer, error) {
	a, err := parseAddress(addr)
	if err != nil {
		return nil, err
	}
	d := &dialler{dialling: &dialling{to: a}, sock: s}
	d.ctx, d.stop = context.WithCancel(s.ctx)
	d.peer = newPeer(&s.hub, d.dialling)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, ErrClosed
	}
	if _, err := s.peers.enter(d.peer, 0); err != nil {
		return nil, err
	}
	s.running.Go(d.run)
	return d.peer, nil
}

// run dials until d.ctx is done.
func (d *dialler) run() {
	s := d.sock
	waits := dial.Backoff{First: s.cfg.RedialFirst, Longest: s.cfg.RedialLongest}
	for d.ctx.Err() == nil {
		c, err := d.connect()
		d.setErr(err)
		if f := s.cfg.OnDialError; f != nil && err != nil && d.ctx.Err() == nil {
			f(d.peer, err)
		}
		if err == nil {
			select {
			case <-c.over:
				waits.Lasted(time.Since(c.since))
				if c.saysLater() {
					waits.Later()
				}
			case <-d.ctx.Done(): // the connection is ended elsewhere
			}
		}
		if s.cfg.RedialFirst < 0 {
			break
		}
		if !d.pause(waits.Next()) {
			break
		}
	}
	d.peer.giveUp()
}

// saysLater reports whether the peer has ended the connection with a close code that asks clients to come back later: 1012,
// it restarts, or 1013, it is overloaded (the IANA registry of close codes). The connection must be over.
func (c *conn) saysLater() bool {
	return c.close.received && (c.ending.why.Code == 1012 || c.ending.why.Code == 1013)
}

// pause waits before the next attempt. It reports false if d.ctx is done.
func (d *dialler) pause(wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-d.ctx.Done():
		return false
	}
}

// connect opens a connection and makes it the peer's.
func (d *dialler) connect() (*conn, error) {
	s := d.sock
	ctx, cancel := d.ctx, context.CancelFunc(func() {})
	if s.cfg.HandshakeTimeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.cfg.HandshakeTimeout)
	}
	defer cancel()
	nc, ahead, a, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	s.counts.dialled.Add(1)
	begun := make(chan *conn, 1)
	err = s.engine.Run(nc, ahead, func(nc *netconn.Conn) (netconn.Protocol, error) {
		a.TLS = nc.TLS()
		c, err := d.peer.attach(nc, a, s.newWire(nc, a, wsframe.Client))
		begun <- c
		if err != nil {
			return nil, err
		}
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	if c := <-begun; c != nil {
		return c, nil
	}
	return nil, ErrGone
}

// open opens a connection, including TLS and the upgrade.
func (d *dialler) open(ctx context.Context) (nc net.Conn, ahead []byte, a *Arrival, err error) {
	s, to := d.sock, d.to
	a = &Arrival{Transport: to.transport}
	if to.framed() {
		cfg := s.upgradeConfig()
		cfg.Header, cfg.TLSConfig, cfg.NetDial = s.cfg.Header, s.cfg.DialTLSConfig, s.cfg.NetDial
		raw, resp, err := websocket.DialRaw(ctx, to.transport+"://"+to.host+to.path+to.query, cfg)
		if err != nil {
			return nil, nil, nil, err
		}
		a.Request, a.Subprotocol = resp.Request, raw.Subprotocol
		nc, ahead = raw.Conn, raw.Ahead
	} else if nc, err = d.openStream(ctx); err != nil {
		return nil, nil, nil, fmt.Errorf("streamsock: %s: %w", to.text, err)
	}
	a.Local, a.Remote = nc.LocalAddr(), nc.RemoteAddr()
	return nc, ahead, a, nil
}

// openStream opens a connection for tcp, tls or unix.
func (d *dialler) openStream(ctx context.Context) (net.Conn, error) {
	s, to := d.sock, d.to
	open := s.cfg.NetDial
	if open == nil {
		open = s.dial.DialContext
	}
	if to.transport == "unix" {
		return open(ctx, "unix", to.host)
	}
	host, port, err := net.SplitHostPort(to.host)
	if err != nil {
		return nil, err
	}
	t := &dial.Target{Host: host, Port: port, Net: open, Secure: netconn.TLSClient}
	if to.secure() {
		if t.TLS = s.cfg.DialTLSConfig; t.TLS == nil {
			t.TLS = &tls.Config{}
		}
	}
	nc, _, err := t.Dial(ctx)
	return nc, err
}
