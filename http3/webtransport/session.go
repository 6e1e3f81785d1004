package webtransport

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/http3/internal/session"
)

// Session is a session of WebTransport. All methods are safe for concurrent use. It ends by Close, when the client closes it, and with its
// connection; then all its streams are reset.
//
//	goroutine read: capsules of the CONNECT's stream ─► end
//	connection ─► AddStream, AddUniStream, AddDatagram ─► queues ─► Accept…, ReceiveDatagram
type Session struct {
	nc       net.Conn                        // the stream of the CONNECT
	half     interface{ CloseWrite() error } // nc's
	gone     chan struct{}                   // closed when nc is
	conn     session.Conn
	protocol string
	cfg      Config

	ctx      context.Context
	cancel   context.CancelCauseFunc
	draining chan struct{}
	drain    sync.Once  // closes draining
	asked    sync.Once  // tells the client to drain
	writing  sync.Mutex // held while a capsule is sent

	streams   *queue[*Stream]
	uni       *queue[*ReceiveStream]
	datagrams *queue[[]byte]

	mu   sync.Mutex
	live map[half]struct{} // nil when the session has ended
}

// half is one half of a stream that has not ended.
type half interface {
	abort() // with the code of a session that has gone
}

func newSession(ctx context.Context, nc net.Conn, out interface{ CloseWrite() error }, protocol string, cfg Config) *Session {
	s := &Session{
		nc: nc, half: out, gone: make(chan struct{}), protocol: protocol, cfg: cfg, draining: make(chan struct{}), live: map[half]struct{}{},
		streams: newQueue[*Stream](0), uni: newQueue[*ReceiveStream](0), datagrams: newQueue[[]byte](cfg.MaxQueuedDatagrams),
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// Context returns a context that ends with the session. Its cause then is a *SessionError if one of the ends has closed it, and otherwise
// the error that has broken the session. It has the values of the request's context.
func (s *Session) Context() context.Context { return s.ctx }

// Protocol returns the application protocol that Accept has chosen from Config.Protocols, or "".
func (s *Session) Protocol() string { return s.protocol }

// LocalAddr returns the server's address.
func (s *Session) LocalAddr() net.Addr { return s.nc.LocalAddr() }

// RemoteAddr returns the client's address, which may change.
func (s *Session) RemoteAddr() net.Addr { return s.nc.RemoteAddr() }

// Draining returns a channel that is closed when the session should end soon: the client asks for it, or the server shuts down and
// has told the client so. Streams can still be opened.
func (s *Session) Draining() <-chan struct{} { return s.draining }

// AcceptStream waits for a bidirectional stream that the client has opened. When the session has ended, the error is the cause of its
// context; when ctx has ended, it is the cause of ctx.
func (s *Session) AcceptStream(ctx context.Context) (*Stream, error) {
	return s.streams.take(ctx, s.ctx)
}

// AcceptUniStream is AcceptStream for unidirectional streams.
func (s *Session) AcceptUniStream(ctx context.Context) (*ReceiveStream, error) {
	return s.uni.take(ctx, s.ctx)
}

// OpenStream opens a bidirectional stream. It waits while the client allows no more. The errors are those of AcceptStream, or
// the connection's.
func (s *Session) OpenStream(ctx context.Context) (*Stream, error) {
	ctx, stop := s.within(ctx)
	defer stop()
	q, err := s.conn.OpenStream(ctx)
	if err != nil {
		return nil, s.why(ctx, err)
	}
	t, ok := s.newStream(q)
	if !ok {
		t.abort()
		return nil, context.Cause(s.ctx)
	}
	return t, nil
}

// OpenUniStream is OpenStream for unidirectional streams.
func (s *Session) OpenUniStream(ctx context.Context) (*SendStream, error) {
	ctx, stop := s.within(ctx)
	defer stop()
	q, err := s.conn.OpenUniStream(ctx)
	if err != nil {
		return nil, s.why(ctx, err)
	}
	t := &SendStream{s: s, q: q}
	if !s.track(t) {
		t.abort()
		return nil, context.Cause(s.ctx)
	}
	return t, nil
}

// within returns a context that ends with ctx and with the session.
func (s *Session) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// why returns the error of an operation that has failed with err while ctx held.
func (s *Session) why(ctx context.Context, err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// SendDatagram sends p, which is not kept. A datagram may be lost, and datagrams may arrive in another order. It waits while QUIC has
// many that have not left; if ctx ends meanwhile, the datagram may still be sent. A datagram that does not fit into a packet is a
// *DatagramTooLargeError.
func (s *Session) SendDatagram(ctx context.Context, p []byte) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	ctx, stop := s.within(ctx)
	defer stop()
	err := s.conn.SendDatagram(ctx, p)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*session.TooLargeError](err); ok {
		return &DatagramTooLargeError{e.Most}
	}
	return s.why(ctx, err)
}

// ReceiveDatagram waits for a datagram, which is the caller's. The errors are those of AcceptStream.
func (s *Session) ReceiveDatagram(ctx context.Context) ([]byte, error) {
	return s.datagrams.take(ctx, s.ctx)
}

// DroppedDatagrams returns how many datagrams have arrived and were dropped because ReceiveDatagram was too slow.
func (s *Session) DroppedDatagrams() int64 { return s.datagrams.count() }

// track notes a half of a stream, which is to end with the session. It returns false if that has ended.
func (s *Session) track(h half) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return false
	}
	s.live[h] = struct{}{}
	return true
}

// untrack notes that a half has ended.
func (s *Session) untrack(h half) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, h)
}
