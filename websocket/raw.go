package websocket

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Raw is a connection of which the handshake is over and no frame has been read: for programs that speak frames
// themselves, with FrameReader for example. It belongs to no Group. No extension has been agreed on.
type Raw struct {
	net.Conn           // whose methods go past Ahead
	Ahead       []byte // what has been read behind the handshake; the holder's
	Role        Role
	Subprotocol string // what was chosen, empty if nothing was
}

// AcceptRaw is Accept that leaves the frames to the caller. Of cfg counts what is about the handshake.
func AcceptRaw(w http.ResponseWriter, r *http.Request, cfg Config) (*Raw, error) {
	s := cfg.raw()
	return s.leave(s.accept(w, r))
}

// UpgradeConnRaw is UpgradeConn that leaves the frames to the caller, of a connection from which ahead has been read already.
// Of cfg counts what is about the handshake.
func UpgradeConnRaw(ctx context.Context, nc net.Conn, ahead []byte, cfg Config, check func(r *http.Request) error) (*Raw, error) {
	s := cfg.raw()
	return s.leave(s.upgradeConn(ctx, nc, ahead, check))
}

// DialRaw is Dial that leaves the frames to the caller. Of cfg counts what is about the handshake.
func DialRaw(ctx context.Context, url string, cfg Config) (*Raw, *http.Response, error) {
	s := cfg.raw()
	o, resp, err := s.dialOpen(ctx, url)
	raw, err := s.leave(o, err)
	return raw, resp, err
}

// raw returns the settings of a handshake without extensions.
func (cfg Config) raw() *settings {
	cfg.Compression = NoCompression
	return cfg.settings()
}

// leave sends the answer and leaves o to the caller, unless err says why there is none.
func (s *settings) leave(o *opened, err error) (*Raw, error) {
	if err != nil {
		return nil, err
	}
	if len(o.answer) > 0 {
		if s.HandshakeTimeout > 0 {
			_ = o.nc.SetWriteDeadline(time.Now().Add(s.HandshakeTimeout))
		}
		if _, err := o.nc.Write(o.answer); err != nil {
			o.nc.Close()
			return nil, writeError(err)
		}
		_ = o.nc.SetWriteDeadline(time.Time{})
	}
	return &Raw{Conn: o.nc, Ahead: o.ahead, Role: o.role, Subprotocol: o.agreed.subprotocol}, nil
}
