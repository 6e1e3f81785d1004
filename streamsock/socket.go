package streamsock

import (
	"context"
	"iter"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Socket is one socket for many peers. All methods may be called concurrently.
type Socket struct {
	cfg    *settings
	engine *netconn.Engine
	inbox  *inbox
	peers  table
	dial   dial.Dialer
	groups groups

	mu       sync.Mutex
	bound    map[string]*binding
	closing  bool
	running  sync.WaitGroup  // listeners and diallers
	upgrades sync.WaitGroup  // handshakes; they end with ctx
	ctx      context.Context // ends with Close
	end      context.CancelFunc
	closed   chan struct{}
	left     int // messages that Close gave up
	pace     pacer
	quit     chan struct{} // closed when Close begins

	counts struct{ accepted, dialled, refused atomic.Uint64 }
}

// New returns a socket without addresses.
func New(cfg Config) *Socket {
	s := &Socket{
		cfg: cfg.settings(), bound: map[string]*binding{}, closed: make(chan struct{}), quit: make(chan struct{}),
	}
	s.inbox = newInbox(s.cfg.ReceiveBytes, s.cfg.PeerBytes)
	s.peers = table{
		peers: map[ID]*Peer{}, seats: map[ID]struct{}{}, keys: map[string]*Peer{},
		last: s.cfg.LastID, next: 1, most: s.cfg.MaxPeers,
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.engine = netconn.New(s.engineConfig())
	s.pace.rate = s.cfg.AcceptRate
	return s
}

// engineConfig is how the engine works that runs the connections.
func (s *Socket) engineConfig() netconn.Config {
	return netconn.Config{
		New: s.arrived, OnHandshakeError: func(nc net.Conn, err error) { s.refused(nc.RemoteAddr(), err) },
		FlushLate: true, IdleTimeout: orNone(s.cfg.Idle), FirstGrace: -1, MessageTimeout: -1, MinReadRate: -1,
		HandshakeTimeout: orNone(s.cfg.Handshake), Logger: s.cfg.Logger,
	}
}

func orNone(d time.Duration) time.Duration {
	if d <= 0 {
		return -1
	}
	return d
}

// Recv waits for the next message or event. Peers that have some are served in turn. The error is ctx's, or ErrClosed
// after Close when everything has been received. With Config.OnMessage nothing is received here.
func (s *Socket) Recv(ctx context.Context) (Message, error) {
	var one [1]Message
	_, err := s.RecvBatch(ctx, one[:])
	return one[0], err
}

// RecvBatch is Recv of as many as are there, at least one and at most len(dst), into dst. It allocates nothing.
func (s *Socket) RecvBatch(ctx context.Context, dst []Message) (int, error) {
	n, err := s.inbox.take(ctx, dst)
	for i := range dst[:n] {
		if dst[i].Kind == Disconnected {
			dst[i].Peer.knows()
		}
	}
	return n, err
}

// Messages returns an iterator over what Recv returns, without the events, until Close.
func (s *Socket) Messages() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for {
			m, err := s.Recv(context.Background())
			if err != nil || !m.Kind.IsEvent() && !yield(m) {
				return
			}
		}
	}
}

// Peer returns the peer with an id, nil if there is none.
func (s *Socket) Peer(id ID) *Peer {
	p, _ := s.peers.get(id)
	return p
}

// Find is Peer that tells why there is none: ErrNoPeer or ErrGone.
func (s *Socket) Find(id ID) (*Peer, error) { return s.peers.get(id) }

// Peers returns the peers of this moment, in no order.
func (s *Socket) Peers() []*Peer { return s.peers.all() }

// Disconnect ends a peer's connection, and the dialling if it is dialled: what waits for it leaves first, within
// Config.Linger. On ws and wss the peer is told code (0: 1000) and reason; elsewhere it sees FIN. The error is ErrNoPeer or
// ErrGone, or says which code may not be sent.
func (s *Socket) Disconnect(id ID, code uint16, reason string) error {
	p, err := s.peers.get(id)
	if err != nil {
		return err
	}
	return p.Disconnect(code, reason)
}

// Close ends the socket; no callback may call it. Nobody is accepted any more, what is queued leaves within Config.Linger or
// until ctx ends, and all peers are told. undelivered is how many messages had not left by then. Recv returns what is there,
// and then ErrClosed.
func (s *Socket) Close(ctx context.Context) (undelivered int) {
	s.mu.Lock()
	first := !s.closing
	s.closing = true
	s.mu.Unlock()
	if !first {
		<-s.closed
		return s.undelivered()
	}
	close(s.quit)
	s.stopListening()
	for _, p := range s.peers.all() {
		p.leave()
	}
	stop := context.AfterFunc(ctx, func() {
		for _, p := range s.peers.all() {
			p.giveUp()
		}
	})
	s.running.Wait()
	stop()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Linger+lastWords)
	defer cancel()
	if s.engine.Shutdown(ctx) != nil {
		_ = s.engine.Close()
	}
	s.end()
	s.upgrades.Wait()
	for _, p := range s.peers.all() {
		p.finish()
	}
	s.inbox.close()
	close(s.closed)
	return s.undelivered()
}

func (s *Socket) undelivered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// lastWords is what the end of a connection may take behind Linger.
const lastWords = 2 * time.Second

// counting reports whether Close has been called, which counts what does not leave.
func (s *Socket) counting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// gaveUp counts messages that have not left.
func (s *Socket) gaveUp(n int) {
	s.mu.Lock()
	if s.closing {
		s.left += n
	}
	s.mu.Unlock()
}

// goneError is what sending fails with to somebody who is gone.
func (s *Socket) goneError() error {
	select {
	case <-s.closed:
		return ErrClosed
	default:
		return ErrGone
	}
}
