package websocket

import (
	"context"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// UpgradeConn reads a request from nc, from which nothing has been read yet, and upgrades it to WebSocket (RFC 6455
// §4.2). ctx and cfg.HandshakeTimeout bound all of that. Afterwards nc belongs to the Conn, or is closed.
//
// check, if not nil, decides whether the client may connect. It is called for a valid upgrade from an allowed origin,
// before the response is sent. r has Method, URL, Proto, Header, Host, RequestURI, RemoteAddr and TLS, its context is
// derived from ctx, and it has no body; check may keep it. If check returns a *HandshakeError, the client gets its
// status (400 to 599) and message; any other error refuses the client with status 403.
//
// A client that is refused gets an error response and nc is closed. The error is then a *HandshakeError or that of
// check. It is ctx's error or context.DeadlineExceeded if the client was too slow, io.EOF if it sent nothing, and
// otherwise the error of the connection.
func UpgradeConn(ctx context.Context, nc net.Conn, cfg Config, check func(r *http.Request) error) (*Conn, error) {
	s := cfg.settings()
	return s.open(s.upgradeConn(ctx, nc, nil, check))
}

// upgradeConn reads the request and sends the response. ahead has bytes that were already read from nc.
func (s *settings) upgradeConn(ctx context.Context, nc net.Conn, ahead []byte, check func(r *http.Request) error) (*opened, error) {
	if s.HandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.HandshakeTimeout)
		defer cancel()
	}
	var decide handshake.Decide
	if check != nil {
		decide = func(r *http.Request) (*handshake.Error, error) {
			err := check(r)
			if err == nil {
				return nil, nil
			}
			return refusal(err), err
		}
	}
	a, rest, err := s.shake.Conn(ctx, nc, ahead, decide)
	if err != nil {
		return nil, handshakeError(err)
	}
	return &opened{role: wsframe.Server, nc: nc, ahead: rest, agreed: a}, nil
}
