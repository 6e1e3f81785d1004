package tcpmux

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
)

// Client starts a session on nc, a connection of any kind: of TCP or TLS, a net.Pipe, a wrapper. The other side calls Server,
// at the same time: each waits for the other, until ctx is done or Config.HandshakeTimeout has passed. The session ends with its
// connection, as with Config.AtMostOnce, and is not resumed on another one. It owns nc and closes it in the end; Client closes
// it if it fails. Both may use the connection's address and TLS state, but not read, write or set deadlines.
//
// A message is on its way when Send has returned, and not yet with the peer: a program that is about to exit calls
// Session.Shutdown before, or Channel.Flush.
//
// The fields of cfg that say how to listen, dial and resume have no effect.
func Client(ctx context.Context, nc net.Conn, cfg Config) (*Session, error) {
	return onConn(ctx, nc, cfg, func(h *greetingConn, cfg *settings) (*Session, error) { return greet(h, cfg, nil) })
}

// Server starts a session on nc, whose other side calls Client. Apart from that it is like Client.
func Server(ctx context.Context, nc net.Conn, cfg Config) (*Session, error) {
	return onConn(ctx, nc, cfg, welcome)
}

// onConn starts a session on nc with the given greeting. The secret of the session is not bound to the connection, because it
// is never used.
func onConn(ctx context.Context, nc net.Conn, cfg Config, greet func(*greetingConn, *settings) (*Session, error)) (*Session, error) {
	cfg.AtMostOnce = true
	set := cfg.settings()
	ctx, cancel := set.withHandshakeTimeout(ctx)
	defer cancel()
	release := context.AfterFunc(ctx, func() { nc.Close() })
	h := &greetingConn{Conn: nc}
	s, err := func() (*Session, error) {
		if c, ok := nc.(*tls.Conn); ok {
			if err := c.HandshakeContext(ctx); err != nil {
				return nil, fmt.Errorf("tcpmux: %w", err)
			}
		}
		return greet(h, set)
	}()
	if err == nil && !release() {
		err = ctx.Err()
	}
	if err == nil {
		err = run(s, owned(nc), h.ahead, 0, 0)
	}
	if err != nil {
		nc.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return s, nil
}

// owned hides from the engine that nc is a socket. Its user may still have it, and close it to end the session: Close of a
// socket that is served by its descriptor would wait for that end.
func owned(nc net.Conn) net.Conn {
	switch nc := nc.(type) {
	case *net.TCPConn:
		return struct{ *net.TCPConn }{nc}
	case *net.UnixConn:
		return struct{ *net.UnixConn }{nc}
	}
	return nc
}
