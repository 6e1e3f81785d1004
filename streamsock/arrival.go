package streamsock

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// Arrival is a connection that is about to become a peer's, as Config.Accept sees it. It may set Key and Value.
type Arrival struct {
	Transport   string // "tcp", "tls", "ws", "wss" or "unix"
	Local       net.Addr
	Remote      net.Addr
	TLS         *tls.ConnectionState
	Request     *http.Request // the upgrade of ws and wss
	Subprotocol string        // what was chosen
	First       []byte        // with Config.FirstMessage: the peer's first message, valid until Accept returns

	// Key names the peer beyond its connection: who comes with a key that a peer has is that peer, with its id and what
	// waits for it; its old connection ends.
	Key string
	// Value becomes the peer's.
	Value any

	seat ID     // the id that is kept for it, 0 for none
	pass func() // called when it has its id, or has been refused; nil if nobody waits for that
}

// settles has the next connection get its id.
func (a *Arrival) settles() {
	if a.pass != nil {
		a.pass()
	}
}

// Refusal is a connection that did not become a peer.
type Refusal struct {
	Remote net.Addr
	Reason RefusalReason
	Status int   // what was answered on ws and wss
	Err    error // what Config.Accept said, or what went wrong
}

// RefusalReason is why.
type RefusalReason uint8

// The reasons.
const (
	RefusedPath         RefusalReason = iota + 1 // the address is bound with another path
	RefusedOrigin                                // the page's origin may not connect
	RefusedSubprotocol                           // none of Config.Subprotocols was offered
	RefusedUnauthorized                          // Config.Accept has said so
	RefusedMaxPeers                              // Config.MaxPeers are there
	RefusedHandshake                             // it was none, or came too late
	RefusedNoID                                  // every id is in use
)

var refusals = [...]string{"", "path", "origin", "subprotocol", "unauthorized", "max-peers", "handshake", "no-id"}

// String returns the name of the reason.
func (r RefusalReason) String() string { return refusals[r] }

// errors with which connections are refused.
var (
	errMaxPeers    = errors.New("streamsock: too many peers")
	errNoID        = errors.New("streamsock: every id is in use")
	errUnavailable = &websocket.HandshakeError{Status: http.StatusServiceUnavailable, Msg: "come back later"}
	errPath        = &websocket.HandshakeError{Status: http.StatusNotFound, Msg: "no socket at this path"}
	errFull        = fmt.Errorf("%w: %w", errMaxPeers, errUnavailable)
	errNoIDs       = fmt.Errorf("%w: %w", errNoID, errUnavailable)
	errSubprotocol = &websocket.HandshakeError{Status: http.StatusBadRequest, Msg: "none of the subprotocols is spoken here"}
)

// refused tells Config.OnRefused.
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

// unauthorized is what Config.Accept has said.
type unauthorized struct{ error }

func (u *unauthorized) Unwrap() error { return u.error }

// ask asks Config.Accept.
func (s *Socket) ask(a *Arrival) error {
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

// admit makes a connection an accepted peer's, on the connection's goroutine: a new one's, or that of who has its key.
func (s *Socket) admit(nc *netconn.Conn, a *Arrival, w wire) (netconn.Protocol, error) {
	for {
		p := newPeer(s, nil)
		p.key, p.value = a.Key, a.Value
		err := s.peers.settled(func() error {
			other, err := s.peers.enter(p, a.seat)
			if a.seat = 0; err == nil {
				p = other
			}
			return err
		})
		a.settles()
		if err != nil {
			return nil, err
		}
		if c, err := p.seize(nc, a, w); err != errOver {
			return c, err
		}
		runtime.Gosched() // a peer that is gone is about to leave the table
	}
}

// seize makes a connection p's in the place of the one it has. Who comes with the same key at the same time waits.
func (p *Peer) seize(nc *netconn.Conn, a *Arrival, w wire) (netconn.Protocol, error) {
	if p.key == "" {
		return p.attach(nc, a, w)
	}
	var late <-chan time.Time
	if patience := p.sock.cfg.Handshake; patience > 0 {
		t := time.NewTimer(patience)
		defer t.Stop()
		late = t.C
	}
	select {
	case p.door <- struct{}{}:
		defer func() { <-p.door }()
	case <-late:
		return nil, errLate
	}
	if err := p.dislodge(late); err != nil {
		return nil, err
	}
	return p.attach(nc, a, w)
}

// dislodge ends p's connection, if it has one, for another that has come in its place.
func (p *Peer) dislodge(late <-chan time.Time) error {
	p.mu.Lock()
	old, ends := p.conn, p.conn == nil
	if ends {
		old = p.ending
	}
	if old == nil {
		p.mu.Unlock()
		return nil
	}
	if p.stays = !ends; !old.told && !old.closing {
		old.end, old.closing = End{Reason: Local, Code: codeOf(websocket.ClosePolicyViolation, old.framed), Text: errReplaced.Error()}, true
	}
	p.room.Broadcast() // its callback may wait in Reply
	p.mu.Unlock()
	if !ends {
		old.nc.Abort()
	}
	select {
	case <-old.over:
		return nil
	case <-late: // its callback does not return
	}
	p.mu.Lock()
	p.stays = false
	away := p.conn == nil
	p.mu.Unlock()
	if away && !ends { // now, after it was told to stay
		p.broke(End{Returns: p.sock.cfg.Away > 0})
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
