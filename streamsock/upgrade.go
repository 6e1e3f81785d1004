package streamsock

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// upgrade is the protocol of ws and wss before the handshake. When the first bytes are there, the connection is taken out of
// the engine for the handshake, which blocks, and put back afterwards.
type upgrade struct {
	sock    *Socket
	nc      *netconn.Conn
	path    string
	arrival *Arrival
	taken   bool
}

var errLate = errors.New("streamsock: the handshake comes too late")

// Alarm implements netconn.Alarmer.
func (u *upgrade) Alarm() { u.nc.Abort() }

// Data implements netconn.Protocol.
func (u *upgrade) Data(c *netconn.Conn, in []byte) (int, error) {
	switch {
	case len(in) == 0:
		return 0, nil
	case c.Latched():
		return 0, netconn.ErrUnlatch
	}
	c.SetAlarm(0)
	u.sock.upgrades.Add(1) // before the engine lets go of the connection: Close waits for both
	nc, ahead, err := c.Hijack()
	if err != nil {
		u.sock.upgrades.Done()
		return 0, err
	}
	u.taken = true
	go func() {
		defer u.sock.upgrades.Done()
		u.sock.upgrade(nc, ahead, u.path, u.arrival)
	}()
	return 0, nil
}

// End implements netconn.Protocol.
func (u *upgrade) End(*netconn.Conn, error) {
	if !u.taken {
		u.sock.refused(u.arrival.Remote, errLate)
	}
}

// upgradeConfig returns the configuration of handshakes for package websocket.
func (s *Socket) upgradeConfig() websocket.Config {
	return websocket.Config{Subprotocols: s.cfg.Subprotocols, Origins: s.cfg.Origins,
		CheckOrigin: s.cfg.CheckOrigin, HandshakeTimeout: orNone(s.cfg.HandshakeTimeout)}
}

// check returns a function that decides about an upgrade request after package websocket has checked it. It reserves an id.
func (s *Socket) check(path string, a *Arrival) func(r *http.Request) error {
	return func(r *http.Request) error {
		if path != "" && r.URL.EscapedPath() != path {
			return errPath
		}
		if len(s.cfg.Subprotocols) > 0 && !s.offersSubprotocol(r) {
			return errSubprotocol
		}
		a.Request = r.WithContext(context.Background())
		if err := s.callAccept(a); err != nil {
			return err
		}
		switch s.peers.retryForRoom(func() (err error) { a.reservedID, err = s.peers.reserve(a.Key); return err }) {
		case errMaxPeers:
			return errFull
		case errNoID:
			return errNoIDs
		}
		return nil
	}
}

// unreserve gives up the id that is reserved for a, if there is one.
func (s *Socket) unreserve(a *Arrival) {
	s.peers.unreserve(a.reservedID)
	a.reservedID = 0
}

// offersSubprotocol reports whether r offers one of our subprotocols.
func (s *Socket) offersSubprotocol(r *http.Request) bool {
	for _, offer := range websocket.Subprotocols(r) {
		for _, ours := range s.cfg.Subprotocols {
			if offer == ours {
				return true
			}
		}
	}
	return false
}

// upgrade performs the handshake of an accepted connection and makes it a peer's.
func (s *Socket) upgrade(nc net.Conn, ahead []byte, path string, a *Arrival) {
	defer func() {
		if v := recover(); v != nil {
			nc.Close()
			s.unreserve(a)
			s.cfg.Logger.Error("a callback of the handshake panicked", "panic", v, "remote", a.Remote)
		}
	}()
	raw, err := websocket.UpgradeConnRaw(s.ctx, nc, ahead, s.upgradeConfig(), s.check(path, a))
	if err != nil {
		s.unreserve(a)
		s.refused(a.Remote, err)
		return
	}
	s.enter(raw, a)
}

// enter makes a connection a peer's after the response to its upgrade was sent.
func (s *Socket) enter(raw *websocket.Raw, a *Arrival) {
	a.Subprotocol = raw.Subprotocol
	err := s.engine.Run(raw.Conn, raw.Ahead, func(nc *netconn.Conn) (netconn.Protocol, error) {
		w := newFrames(&nc.Output, wsframe.Server, s.cfg.format)
		p, err := s.admit(nc, a, w)
		if err != nil {
			s.refused(a.Remote, err)
			last, _ := wsframe.AppendClose(nil, wsframe.CloseTryAgainLater, "")
			_, _ = nc.Post(netconn.Final, w.append(nil, wsframe.Close, last))
			return nil, netconn.ErrDone
		}
		return p, nil
	})
	if err != nil {
		s.unreserve(a)
		s.refused(a.Remote, err)
	}
}

// Handler returns a handler that turns upgrade requests into peers. It works on any server with net/http's types.
func (s *Socket) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &Arrival{Transport: "ws", TLS: r.TLS, Remote: remote(r)}
		if r.TLS != nil {
			a.Transport = "wss"
		}
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
			a.Local = local
		}
		s.counts.accepted.Add(1)
		raw, err := s.accept(w, r, a)
		if err != nil {
			s.refused(a.Remote, err)
			return
		}
		s.enter(raw, a)
	})
}

// accept sends the response to an upgrade. The reserved id is released if that fails or panics.
func (s *Socket) accept(w http.ResponseWriter, r *http.Request, a *Arrival) (raw *websocket.Raw, err error) {
	defer func() {
		if raw == nil {
			s.unreserve(a)
		}
	}()
	return websocket.AcceptRaw(w, r, s.upgradeConfig(), s.check("", a))
}

// remote returns the address of the peer that has sent r.
func remote(r *http.Request) net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
	if err != nil {
		return &net.UnixAddr{Name: r.RemoteAddr, Net: "unix"}
	}
	return addr
}
