package streamsock

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Peer is somebody at the other end: who was accepted, or who is dialled. It has one connection at a time, and what waits
// to be sent when it has none. All methods may be called concurrently.
//
//	             ┌─ the connection breaks ─► away ─ dialled again, or back with its key ─┐
//	Connected ─► live ◄──────────────────────────────────────────────────────────────────┘
//	             └─ it ends, for good ─► gone
type Peer struct {
	sock    *Socket
	id      ID
	key     string
	dialler *dialler      // nil: accepted
	door    chan struct{} // full while a connection is being made its: one at a time; of those with a key
	in      arrivals      // the inbox's
	parts   bool          // the table's

	mu       sync.Mutex
	room     sync.Cond // of those who wait in Send
	line     line
	conn     *conn               // nil while away, or gone
	ending   *conn               // the one before, until its end has been told
	gone     bool                // for good
	leaving  bool                // no other connection follows
	lost     bool                // what is in line is not Close's to count
	parting  *End                // it was ended without a connection; one that is on its way ends so
	stays    bool                // another connection is on its way
	groups   map[string]struct{} // by name
	value    any
	arrival  *Arrival      // of the last connection
	patience *time.Timer   // until it is not awaited any more
	done     chan struct{} // closed when the peer is gone

	received, receivedBytes atomic.Uint64
	sent, sentBytes         atomic.Uint64
	connections             atomic.Uint64
}

func newPeer(s *Socket, d *dialler) *Peer {
	p := &Peer{sock: s, dialler: d, done: make(chan struct{}), door: make(chan struct{}, 1)}
	p.room.L = &p.mu
	return p
}

// ID returns the routing id, which is the peer's as long as it is there.
func (p *Peer) ID() ID { return p.id }

// Key returns what Config.Accept has named the peer.
func (p *Peer) Key() string { return p.key }

// Dialled reports whether this side opens the connection.
func (p *Peer) Dialled() bool { return p.dialler != nil }

// URL returns the address that is dialled, empty for an accepted peer.
func (p *Peer) URL() string {
	if p.dialler == nil {
		return ""
	}
	return p.dialler.to.String()
}

// last returns what the last connection came with. It is never nil for who has been told of the peer.
func (p *Peer) last() *Arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.arrival == nil {
		return new(Arrival)
	}
	return p.arrival
}

// Transport returns "tcp", "tls", "ws", "wss" or "unix".
func (p *Peer) Transport() string { return p.last().Transport }

// RemoteAddr returns the peer's address on its last connection.
func (p *Peer) RemoteAddr() net.Addr { return p.last().Remote }

// TLS returns the state of the last connection's TLS, nil without TLS. It is not to be changed.
func (p *Peer) TLS() *tls.ConnectionState { return p.last().TLS }

// Request returns the upgrade that a peer of ws or wss came with, nil for others. It is not to be changed.
func (p *Peer) Request() *http.Request { return p.last().Request }

// Subprotocol returns what was chosen on ws or wss.
func (p *Peer) Subprotocol() string { return p.last().Subprotocol }

// SetValue keeps v, whatever the application wants to know of the peer. See Value.
func (p *Peer) SetValue(v any) {
	p.mu.Lock()
	p.value = v
	p.mu.Unlock()
}

// Value returns what SetValue was given last, or Arrival.Value before.
func (p *Peer) Value() any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.value
}

// Done returns a channel that is closed when the peer is gone for good: it is in no group, and its id may be another's.
func (p *Peer) Done() <-chan struct{} { return p.done }

// PeerStats are the counters of a peer, over all its connections.
type PeerStats struct {
	Received, ReceivedBytes uint64 // messages that came in, and their payload
	Sent, SentBytes         uint64 // messages that were given to a connection
	Queued                  int    // messages that wait
	QueuedBytes             int64
	Dropped                 uint64    // by Config.Slow, or when the peer was gone
	Connections             uint64    // that it had
	Window                  int       // bytes that its connection keeps under way at most; 0: the system decides
	Since                   time.Time // when its connection began; zero while there is none
}

// Stats returns the counters as they are now.
func (p *Peer) Stats() PeerStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PeerStats{
		Received: p.received.Load(), ReceivedBytes: p.receivedBytes.Load(), Sent: p.sent.Load(), SentBytes: p.sentBytes.Load(),
		Queued: p.line.messages, QueuedBytes: p.line.bytes, Dropped: p.line.dropped, Connections: p.connections.Load(),
	}
	if p.conn != nil {
		s.Window, s.Since = p.conn.window, p.conn.since
	}
	return s
}

// finish ends the peer for good.
func (p *Peer) finish() {
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return
	}
	p.gone = true
	left := p.line.messages
	if p.lost {
		left = 0
	}
	p.line.clear()
	p.sock.gaveUp(left) // before anybody sees that it is gone: Close counts them all
	groups := p.groups
	p.groups = nil
	p.room.Broadcast()
	p.mu.Unlock()
	for name := range groups {
		p.sock.groups.remove(name, p)
	}
	p.sock.peers.leave(p)
	close(p.done) // last: its id and its place are free
}
