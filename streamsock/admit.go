package streamsock

import (
	"errors"
	"net"
	"net/http"
	"runtime"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// refused counts a refused connection and calls Config.OnRefused.
func (s *Socket) refused(remote net.Addr, err error) {
	s.counts.refused.Add(1)
	if f := s.cfg.OnRefused; f != nil {
		r := Refusal{Remote: remote, Reason: RefusedHandshake, Err: err}
		var said *websocket.HandshakeError
		if errors.As(err, &said) {
			r.Status = said.Status
		}
		switch {
		case errors.Is(err, errMaxPeers):
			r.Reason = RefusedMaxPeers
		case errors.Is(err, errNoID):
			r.Reason = RefusedNoID
		case err == errPath:
			r.Reason = RefusedPath
		case err == errSubprotocol:
			r.Reason = RefusedSubprotocol
		case errors.As(err, new(*unauthorized)):
			r.Reason = RefusedUnauthorized
		case said != nil && said.Status == http.StatusForbidden:
			r.Reason = RefusedOrigin
		}
		f(r)
	}
}

// unauthorized wraps an error of Config.Accept.
type unauthorized struct{ error }

func (u *unauthorized) Unwrap() error { return u.error }

// callAccept calls Config.Accept.
func (s *Socket) callAccept(a *Arrival) error {
	if s.cfg.Accept == nil {
		return nil
	}
	if err := s.cfg.Accept(a); err != nil {
		var said *websocket.HandshakeError
		if a.Request != nil && !errors.As(err, &said) {
			err = &websocket.HandshakeError{Status: http.StatusUnauthorized, Msg: err.Error()}
		}
		return &unauthorized{err}
	}
	return nil
}

// admit makes nc the connection of an accepted peer: a new one, or the one that has its key. It runs on the connection's
// goroutine.
func (s *Socket) admit(nc *netconn.Conn, a *Arrival, w wire) (netconn.Protocol, error) {
	for {
		p := newPeer(&s.hub, nil)
		p.key, p.value = a.Key, a.Value
		err := s.peers.retryForRoom(func() error {
			other, err := s.peers.enter(p, a.reservedID)
			if a.reservedID = 0; err == nil {
				p = other
			}
			return err
		})
		a.idSettled()
		if err != nil {
			return nil, err
		}
		if c, err := p.takeOver(nc, a, w); err != errPeerGone {
			return c, err
		}
		runtime.Gosched() // a peer that is gone is about to be removed from the table
	}
}

// newWire returns the wire of an arrival.
func (s *Socket) newWire(nc *netconn.Conn, a *Arrival, role wsframe.Role) wire {
	if a.Transport == "ws" || a.Transport == "wss" {
		return newFrames(&nc.Output, role, s.cfg.format)
	}
	return newStream(&nc.Output, s.cfg.format)
}
