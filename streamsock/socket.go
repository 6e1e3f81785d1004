package streamsock

import (
	"context"
	"errors"
	"iter"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// Socket exchanges messages with many peers. All methods may be called concurrently.
type Socket struct {
	hub
	dial        dial.Dialer
	bound       map[string]*binding
	running     sync.WaitGroup  // goroutines of listeners and diallers
	upgrades    sync.WaitGroup  // goroutines of handshakes, which end with ctx
	ctx         context.Context // done at the end of Shutdown
	end         context.CancelFunc
	acceptPacer pacer
	quit        chan struct{} // closed when Shutdown begins
}

// New returns a socket that is not bound or connected.
func New(cfg Config) *Socket {
	s := &Socket{bound: map[string]*binding{}, quit: make(chan struct{})}
	s.cfg, s.closed = cfg.settings(), make(chan struct{})
	s.inbox = newInbox(s.cfg.ReceiveBytes, s.cfg.PeerBytes)
	s.peers = table{
		peers: map[ID]*Peer{}, reserved: map[ID]struct{}{}, keys: map[string]*Peer{},
		last: s.cfg.LastID, next: 1, maxAccepted: s.cfg.MaxPeers,
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.engine = netconn.New(s.engineConfig())
	s.acceptPacer.rate = s.cfg.AcceptRate
	return s
}

// engineConfig returns the configuration of the engine that runs the connections.
func (s *Socket) engineConfig() netconn.Config {
	return netconn.Config{
		New: s.arrived, OnHandshakeError: func(nc net.Conn, err error) { s.refused(nc.RemoteAddr(), err) },
		FlushLate: true, IdleTimeout: orNone(s.cfg.IdleTimeout), FirstGrace: -1, MessageTimeout: -1, MinReadRate: -1,
		HandshakeTimeout: orNone(s.cfg.HandshakeTimeout), Logger: s.cfg.Logger,
	}
}

func orNone(d time.Duration) time.Duration {
	if d <= 0 {
		return -1
	}
	return d
}

// Recv waits for the next message or event. Peers take turns. The error is ctx's, or ErrClosed after Shutdown or Close when everything
// has been received. With Config.OnMessage, Recv has nothing to return and waits for the end. Events wait without a bound
// until they are received, about a kilobyte for each peer that comes and goes, so a program that only sends must call Recv or
// Messages, too, or set OnMessage.
func (s *Socket) Recv(ctx context.Context) (Message, error) {
	var one [1]Message
	_, err := s.RecvBatch(ctx, one[:])
	return one[0], err
}

// RecvBatch is like Recv but receives all messages that are there into dst, at least one and at most len(dst). It does not
// allocate.
func (s *Socket) RecvBatch(ctx context.Context, dst []Message) (int, error) {
	n, err := s.inbox.take(ctx, dst)
	for i := range dst[:n] {
		if dst[i].Kind == EventDisconnected {
			dst[i].Peer.disconnectDelivered()
		}
	}
	return n, err
}

// Messages returns an iterator over the messages that Recv returns, without events. It ends without an error when the socket is
// closed and everything has been received.
func (s *Socket) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for {
			m, err := s.Recv(context.Background())
			if err != nil {
				if !errors.Is(err, ErrClosed) {
					yield(Message{}, err)
				}
				return
			}
			if !m.Kind.IsEvent() && !yield(m, nil) {
				return
			}
		}
	}
}

// Send sends p as a message to the peer with the given id. It returns when the message is on its way or queued; p is not
// changed, and not used afterwards. Messages of one goroutine for one peer arrive in the order of its calls.
//
// The error is ErrNoPeer or ErrGone, ErrQueueFull if Config.Slow is FailWhenSlow or CloseWhenSlow, ErrTooLarge if a header cannot
// express the length, or ErrClosed after Shutdown or Close. With BlockWhenSlow, Send waits for room in the queue as Config.QueueBytes describes.
func (s *Socket) Send(id ID, p []byte) error {
	peer, err := s.peers.get(id)
	if err != nil {
		return err
	}
	return peer.Send(p)
}

// Peer returns the peer with the given id, nil if there is none.
func (s *Socket) Peer(id ID) *Peer {
	p, _ := s.peers.get(id)
	return p
}

// Find is like Peer, but says why there is no such peer: ErrNoPeer or ErrGone.
func (s *Socket) Find(id ID) (*Peer, error) { return s.peers.get(id) }

// Peers returns the current peers, in no order.
func (s *Socket) Peers() []*Peer { return s.peers.all() }

// Disconnect ends a peer and its connection, and stops dialling it. Queued messages are sent first, within Config.Linger. On
// ws and wss the peer gets a close frame with code (0: 1000) and reason; elsewhere it sees FIN. The error is ErrNoPeer or
// ErrGone, or says that the code may not be sent.
func (s *Socket) Disconnect(id ID, code uint16, reason string) error {
	p, err := s.peers.get(id)
	if err != nil {
		return err
	}
	return p.Disconnect(code, reason)
}

// UnsentError is the error of Shutdown when not all messages were sent. If its context was done before, errors.Is finds the
// context's error in it.
type UnsentError struct {
	Messages int   // how many messages were not sent
	Err      error // the context's error, or nil if Config.Linger was over or connections have broken
}

// Error implements error.
func (e *UnsentError) Error() string {
	text := "streamsock: " + strconv.Itoa(e.Messages) + " messages were not sent"
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *UnsentError) Unwrap() error { return e.Err }

// Shutdown closes the socket. It must not be called by a callback. New connections are refused, queued messages are sent within
// Config.Linger or until ctx is done, and all connections are ended. If messages were not sent, the error is an *UnsentError.
// Recv returns what was received, and then ErrClosed. A second call waits for the first and returns the same number.
func (s *Socket) Shutdown(ctx context.Context) error {
	if n := s.shutdown(ctx); n > 0 {
		return &UnsentError{n, ctx.Err()}
	}
	return nil
}

// Close closes the socket at once: messages that are queued are lost. It must not be called by a callback. Recv returns what
// was received, and then ErrClosed. It returns nil.
func (s *Socket) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.shutdown(ctx)
	return nil
}

// shutdown returns how many messages were not sent.
func (s *Socket) shutdown(ctx context.Context) (undelivered int) {
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
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Linger+shutdownGrace)
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

// shutdownGrace is how long connections may take to end after Linger.
const shutdownGrace = 2 * time.Second

// Stats returns the current counters. Its time is linear in the number of peers.
func (s *Socket) Stats() Stats {
	peers, all := s.peers.snapshot()
	for _, p := range peers {
		one := p.Stats()
		all.add(&one)
		all.Queued += one.Queued
		all.QueuedBytes += one.QueuedBytes
	}
	s.inbox.mu.Lock()
	all.Buffered = s.inbox.held
	s.inbox.mu.Unlock()
	all.Peers = int64(len(peers))
	all.Accepted, all.Dialled, all.Refused = s.counts.accepted.Load(), s.counts.dialled.Load(), s.counts.refused.Load()
	return all
}
