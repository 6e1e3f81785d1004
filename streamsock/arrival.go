package streamsock

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// Arrival is a new connection that is not a peer's yet, as passed to Config.Accept, which may set Key and Value.
type Arrival struct {
	Transport   string // "tcp", "tls", "ws", "wss" or "unix"
	Local       net.Addr
	Remote      net.Addr
	TLS         *tls.ConnectionState
	Request     *http.Request // the upgrade request, for ws and wss
	Subprotocol string        // the subprotocol that was chosen
	First       []byte        // with Config.FirstMessage: the peer's first message, only valid until Accept returns

	// Key identifies the peer beyond its connection. If there is already a peer with this key, the connection becomes that
	// peer's, with its id and queue, and its old connection is ended.
	Key string
	// Value is stored in the peer; see Peer.Value.
	Value any

	reservedID ID     // the id that is reserved for it, 0 if none is
	passTurn   func() // called when it has its id or was refused; nil if accepting does not wait for that
}

// idSettled lets the next connection get its id.
func (a *Arrival) idSettled() {
	if a.passTurn != nil {
		a.passTurn()
	}
}

// Refusal describes a connection that did not become a peer's.
type Refusal struct {
	Remote net.Addr
	Reason RefusalReason
	Status int   // the HTTP status of the answer, for ws and wss
	Err    error // the error of Config.Accept, or what went wrong
}

// RefusalReason is the reason of a Refusal.
type RefusalReason uint8

// The reasons.
const (
	RefusedPath         RefusalReason = iota + 1 // the address is bound with another path
	RefusedOrigin                                // the page's origin is not allowed
	RefusedSubprotocol                           // none of Config.Subprotocols was offered
	RefusedUnauthorized                          // Config.Accept has returned an error
	RefusedMaxPeers                              // there are Config.MaxPeers peers
	RefusedHandshake                             // the handshake failed or was too late
	RefusedNoID                                  // every id is in use
)

var refusals = [...]string{"", "path", "origin", "subprotocol", "unauthorized", "max-peers", "handshake", "no-id"}

// String returns the name of the reason.
func (r RefusalReason) String() string { return refusals[r] }

// The errors with which connections are refused.
var (
	errMaxPeers    = errors.New("streamsock: too many peers")
	errNoID        = errors.New("streamsock: every id is in use")
	errUnavailable = &websocket.HandshakeError{Status: http.StatusServiceUnavailable, Msg: "come back later"}
	errPath        = &websocket.HandshakeError{Status: http.StatusNotFound, Msg: "no socket at this path"}
	errFull        = fmt.Errorf("%w: %w", errMaxPeers, errUnavailable)
	errNoIDs       = fmt.Errorf("%w: %w", errNoID, errUnavailable)
	errSubprotocol = &websocket.HandshakeError{Status: http.StatusBadRequest, Msg: "none of the subprotocols is spoken here"}
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
		p := newPeer(s, nil)
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

// takeOver makes nc p's connection in place of its old one. Connections with the same key take over one at a time.
func (p *Peer) takeOver(nc *netconn.Conn, a *Arrival, w wire) (netconn.Protocol, error) {
	if p.key == "" {
		return p.attach(nc, a, w)
	}
	var timeout <-chan time.Time
	if handshake := p.sock.cfg.HandshakeTimeout; handshake > 0 {
		t := time.NewTimer(handshake)
		defer t.Stop()
		timeout = t.C
	}
	select {
	case p.attachLock <- struct{}{}:
		defer func() { <-p.attachLock }()
	case <-timeout:
		return nil, errLate
	}
	if err := p.endOldConn(timeout); err != nil {
		return nil, err
	}
	return p.attach(nc, a, w)
}

// endOldConn ends p's connection, if it has one, in favour of a new one, and waits until it is over.
func (p *Peer) endOldConn(timeout <-chan time.Time) error {
	p.mu.Lock()
	old, ending := p.conn, p.conn == nil
	if ending {
		old = p.ending
	}
	if old == nil {
		p.mu.Unlock()
		return nil
	}
	if p.expectsConn = !ending; !old.endReported && !old.closing {
		old.end, old.closing = End{Reason: ReasonLocal, Code: codeOf(websocket.ClosePolicyViolation, old.framed), Text: errReplaced.Error()}, true
	}
	p.room.Broadcast() // a callback of the old connection may wait in Reply
	p.mu.Unlock()
	if !ending {
		old.nc.Abort()
	}
	select {
	case <-old.over:
		return nil
	case <-timeout: // the callback of the old connection does not return
	}
	p.mu.Lock()
	p.expectsConn = false
	away := p.conn == nil
	p.mu.Unlock()
	if away && !ending { // its End saw expectsConn and did not do this
		p.connEnded(End{Returns: p.sock.cfg.Away > 0})
	}
	return errLate
}

// newWire returns the wire of an arrival.
func (s *Socket) newWire(a *Arrival, role wsframe.Role) wire {
	if a.Transport == "ws" || a.Transport == "wss" {
		return newFrames(role, s.cfg)
	}
	return newStream(s.cfg)
}
