package streamsock

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

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
	Status int   // the HTTP status of the response, for ws and wss
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
