package streamsock

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Peer is a remote end, accepted or dialled. It has at most one connection at a time, and a queue that outlives connections.
// All methods may be called concurrently.
//
//	             ┌─ the connection breaks ─► away ─ dialled again, or back with its key ─┐
//	Connected ─► live ◄──────────────────────────────────────────────────────────────────┘
//	             └─ it ends, for good ─► gone
type Peer struct {
	sock           *hub
	id             ID
	key            string
	dialler        *dialling     // nil for an accepted peer
	attachLock     chan struct{} // capacity 1, held while a connection is attached to a peer with a key
	in             peerInbox     // guarded by the inbox's mu
	countedLeaving bool          // guarded by the table's mu

	mu          sync.Mutex
	room        sync.Cond // for goroutines that wait for room in the queue
	queue       sendQueue
	conn        *conn               // nil while away, or gone
	ending      *conn               // the connection that is ending, until its end has been delivered
	stay        stay                // whether other connections follow
	why         End                 // from finishing on: with this a connection ends that is attached then
	uncounted   bool                // the queue was lost before Close was called, so Close does not count it
	expectsConn bool                // another connection is about to be attached
	groups      map[string]struct{} // by name
	value       any
	arrival     *Arrival       // of the last connection
	awayTimer   *netconn.Timer // ends the peer when Config.Away is over
	done        chan struct{}  // closed when the peer is gone

	received, receivedBytes atomic.Int64
	sent, sentBytes         atomic.Int64
	connections             atomic.Int64
}

func newPeer(s *hub, d *dialling) *Peer {
	p := &Peer{sock: s, dialler: d, done: make(chan struct{}), attachLock: make(chan struct{}, 1)}
	p.room.L = &p.mu
	return p
}

// ID returns the routing id. It belongs to the peer until the peer is gone.
func (p *Peer) ID() ID { return p.id }

// Key returns the Key that Config.Accept has set.
func (p *Peer) Key() string { return p.key }

// Dialled reports whether this side has dialled the peer.
func (p *Peer) Dialled() bool { return p.dialler != nil }

// URL returns the address that is dialled, or "" for an accepted peer.
func (p *Peer) URL() string {
	if p.dialler == nil {
		return ""
	}
	return p.dialler.to.String()
}

// DialError returns the error of the last attempt to dial the peer, nil if it succeeded.
func (p *Peer) DialError() error {
	if p.dialler == nil {
		return nil
	}
	return p.dialler.lastErr()
}

// last returns the Arrival of the last connection, an empty one before the first.
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

// TLS returns the TLS state of the last connection, nil without TLS. It must not be changed.
func (p *Peer) TLS() *tls.ConnectionState { return p.last().TLS }

// Request returns the upgrade request on ws and wss, nil on others. It must not be changed.
func (p *Peer) Request() *http.Request { return p.last().Request }

// Subprotocol returns the chosen subprotocol on ws and wss.
func (p *Peer) Subprotocol() string { return p.last().Subprotocol }

// SetValue stores a value of the application in the peer. See Value.
func (p *Peer) SetValue(v any) {
	p.mu.Lock()
	p.value = v
	p.mu.Unlock()
}

// Value returns the last value passed to SetValue, or else Arrival.Value.
func (p *Peer) Value() any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.value
}

// Done returns a channel that is closed when the peer is gone for good: it is in no group, and its id may be given to
// another peer.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Stats returns the current counters.
func (p *Peer) Stats() PeerStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PeerStats{
		Received: p.received.Load(), ReceivedBytes: p.receivedBytes.Load(), Sent: p.sent.Load(), SentBytes: p.sentBytes.Load(),
		Queued: int64(p.queue.messages), QueuedBytes: p.queue.bytes, Dropped: p.queue.dropped, Connections: p.connections.Load(),
	}
	if p.conn != nil {
		s.Window, s.Since = int64(p.conn.near.window), p.conn.since
	}
	return s
}

// finish ends the peer for good.
func (p *Peer) finish() {
	p.mu.Lock()
	if p.stay == gone {
		p.mu.Unlock()
		return
	}
	p.stay = gone
	left := p.queue.messages
	if p.uncounted {
		left = 0
	}
	p.queue.clear()
	p.sock.countUndelivered(left) // before the peer is visibly gone, so that Close counts all of them
	groups := p.groups
	p.groups = nil
	p.room.Broadcast()
	p.mu.Unlock()
	for name := range groups {
		p.sock.groups.remove(name, p)
	}
	p.sock.peers.leave(p)
	close(p.done) // last: its id and its place are free now
}
