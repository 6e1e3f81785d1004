package websocket

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Raw is a connection after the handshake, before any frame has been read. It is for programs that handle frames
// themselves, for example with FrameReader. It belongs to no Group and uses no extension.
type Raw struct {
	net.Conn           // does not return the bytes in Ahead
	Ahead       []byte // bytes read after the handshake; they belong to the holder
	Role        Role
	Subprotocol string // the negotiated subprotocol, or ""
}

// AcceptRaw is like Accept, but returns the connection without a Conn. check, if not nil, decides whether the client may
// connect, as with UpgradeConn. Only the handshake's fields of cfg are used.
func AcceptRaw(w http.ResponseWriter, r *http.Request, cfg Config, check func(r *http.Request) error) (*Raw, error) {
	s := cfg.raw()
	return s.finishRaw(s.accept(w, r, check))
}

// UpgradeConnRaw is like UpgradeConn, but returns the connection without a Conn. ahead has bytes that were already read
// from nc. Only the handshake's fields of cfg are used.
func UpgradeConnRaw(ctx context.Context, nc net.Conn, ahead []byte, cfg Config, check func(r *http.Request) error) (*Raw, error) {
	s := cfg.raw()
	return s.finishRaw(s.upgradeConn(ctx, nc, ahead, check))
}

// DialRaw is like Dial, but returns the connection without a Conn. Only the handshake's fields of cfg are used.
func DialRaw(ctx context.Context, url string, cfg Config) (*Raw, *http.Response, error) {
	s := cfg.raw()
	o, resp, err := s.dialOpen(ctx, url)
	raw, err := s.finishRaw(o, err)
	return raw, resp, err
}

// raw returns the settings of a handshake without extensions.
func (cfg Config) raw() *settings {
	cfg.Compression = NoCompression
	return cfg.settings()
}

// finishRaw sends the response to the handshake and returns o as a Raw, unless there is an error.
func (s *settings) finishRaw(o *opened, err error) (*Raw, error) {
	if err != nil {
		return nil, err
	}
	if len(o.response) > 0 {
		if s.HandshakeTimeout > 0 {
			_ = o.nc.SetWriteDeadline(time.Now().Add(s.HandshakeTimeout))
		}
		if _, err := o.nc.Write(o.response); err != nil {
			o.nc.Close()
			return nil, writeError(err)
		}
		_ = o.nc.SetWriteDeadline(time.Time{})
	}
	return &Raw{Conn: o.nc, Ahead: o.ahead, Role: roleOf(o.role), Subprotocol: o.agreed.Subprotocol}, nil
}
