// Package tcp opens the connections of drivers over TCP or TLS, and runs them on the I/O core.
package tcp

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Config configures a Transport.
type Config struct {
	Address string        // host and port
	TLS     *tls.Config   // nil: without TLS
	ALPN    string        // over TLS: what the server must choose; "": anything
	Timeout time.Duration // for connecting
	Idle    bool          // connections may be idle for long, since requests have due times
	Dial    DialFunc      // instead of TCP to Address; nil: none
}

// DialFunc opens a connection.
type DialFunc func(ctx context.Context) (net.Conn, error)

// Transport opens connections and runs them. It has the methods Bytes and Close of a drive.Driver. All methods may be called
// concurrently.
type Transport struct {
	cfg    Config
	dialer *dialer
	engine *netconn.Engine
}

// readBuffer is the size of the buffer that a connection takes from the pool while there is input. It holds a batch of
// responses or a good part of a large one.
const readBuffer = 64 << 10

// none turns a limit of netconn off: only the timeouts of the run count.
const none = -1

// New returns a Transport.
func New(cfg Config) *Transport {
	engine := netconn.Config{
		ReadBuffer: readBuffer, IdleTimeout: none, MessageTimeout: none, MinReadRate: none, MinWriteRate: none,
		LingerTimeout: none,
	}
	if !cfg.Idle {
		engine.IdlePark = none
	}
	return &Transport{cfg: cfg, dialer: newDialer(cfg.Address, cfg.Timeout), engine: netconn.New(engine)}
}

// Open opens a connection for s. begin runs on the connection's goroutine; it makes the handshake of the protocol, if there is
// one, and attaches the connection to s. Open returns when begin has, with its error.
func (t *Transport) Open(ctx context.Context, s *drive.Slot, begin func(*netconn.Conn) (netconn.Protocol, error)) error {
	nc, err := t.dial(ctx, s)
	if err == nil && t.cfg.TLS != nil {
		nc, err = t.secure(ctx, s, nc)
	}
	if err != nil {
		return err
	}
	begun := make(chan error, 1)
	err = t.engine.Run(nc, nil, func(c *netconn.Conn) (netconn.Protocol, error) {
		p, err := begin(c)
		begun <- err
		return p, err
	})
	if err != nil {
		return err
	}
	select {
	case err = <-begun:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Transport) dial(ctx context.Context, s *drive.Slot) (net.Conn, error) {
	if t.cfg.Dial != nil {
		return t.cfg.Dial(ctx)
	}
	return t.dialer.dial(ctx, s.Note)
}

// secure makes the TLS handshake on nc.
func (t *Transport) secure(ctx context.Context, s *drive.Slot, nc net.Conn) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timeout)
	defer cancel()
	tc, start := netconn.TLSClient(nc, t.cfg.TLS), time.Now()
	if err := tc.HandshakeContext(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	if t.cfg.ALPN != "" && tc.ConnectionState().NegotiatedProtocol != t.cfg.ALPN {
		nc.Close()
		return nil, fmt.Errorf("load: the server does not choose %s in the TLS handshake (ALPN)", t.cfg.ALPN)
	}
	s.Note(account.Handshake, time.Since(start))
	return tc, nil
}

// Bytes implements drive.Driver.
func (t *Transport) Bytes() (in, out int64) {
	st := t.engine.Stats()
	return st.BytesIn, st.BytesOut
}

// Close implements drive.Driver.
func (t *Transport) Close(ctx context.Context) {
	t.engine.Close()
	t.engine.Shutdown(ctx)
}
