package load

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// opening bounds how many connections are opened at the same time.
const opening = 64

// opener gives seats their connections.
type opener struct {
	run    *run
	parts  parts
	dial   func(ctx context.Context) (net.Conn, error)
	queue  chan *seat    // each seat is there at most once
	opened chan struct{} // a connection that was dialled has begun, or failed its handshake

	mu      sync.Mutex
	dialled []*seat // whose connection has been dialled; any of them takes the next one that begins
	lastErr error

	settled  atomic.Int64 // seats that had a connection, or were given up
	everOpen atomic.Int64
	progress atomic.Int64 // when a seat settled last
}

func newOpener(r *run) *opener {
	o := &opener{run: r, queue: make(chan *seat, len(r.seats)), opened: make(chan struct{}, opening)}
	d := &dialler{address: r.cfg.address(), parts: &o.parts, Dialer: net.Dialer{Timeout: r.cfg.Timeout, KeepAlive: -1}}
	o.dial = d.dial
	return o
}

// queueAfter has a connection opened for s after a pause.
func (o *opener) queueAfter(s *seat, pause time.Duration) {
	if pause == 0 {
		o.queue <- s
		return
	}
	time.AfterFunc(pause, func() { o.queue <- s })
}

// work opens connections until ctx ends.
func (o *opener) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-o.queue:
			if !o.open(ctx, s) {
				continue
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-o.opened:
		}
	}
}

// open dials for s and starts the connection. False says that it failed.
func (o *opener) open(ctx context.Context, s *seat) bool {
	nc, err := o.dial(ctx)
	if err == nil && o.run.cfg.TLS != nil {
		nc, err = o.secure(ctx, nc)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return false // the run is over; nobody failed
	case err != nil:
		o.failed(s, err)
		return false
	}
	o.mu.Lock()
	o.dialled = append(o.dialled, s)
	o.mu.Unlock()
	return o.run.engine.Run(nc, nil, o.begin) == nil
}

// errNoH2 is what we have against a server that does not speak HTTP/2 over TLS (RFC 9113 §3.2).
var errNoH2 = errors.New("load: the server does not choose h2 in the TLS handshake (ALPN)")

// secure puts TLS on nc.
func (o *opener) secure(ctx context.Context, nc net.Conn) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.run.cfg.Timeout)
	defer cancel()
	tc, start := netconn.TLSClient(nc, o.run.cfg.TLS), time.Now()
	if err := tc.HandshakeContext(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	if o.run.cfg.HTTP2 && tc.ConnectionState().NegotiatedProtocol != "h2" {
		nc.Close()
		return nil, errNoH2
	}
	o.parts.note(handshake, time.Since(start))
	return tc, nil
}

// seatFor is called when a connection has begun or failed: it is the one of any seat that waits for one.
func (o *opener) seatFor() *seat {
	o.mu.Lock()
	s := o.dialled[len(o.dialled)-1]
	o.dialled = o.dialled[:len(o.dialled)-1]
	o.mu.Unlock()
	o.opened <- struct{}{}
	return s
}

// begin is the engine's call for a connection that is ready, but for the handshake of WebSocket.
func (o *opener) begin(c *netconn.Conn) (netconn.Protocol, error) {
	var err error
	if m := o.run.req.message; m != nil && m.hello != nil {
		start := time.Now()
		if err = m.shakeHands(c, o.run.cfg.Timeout); err == nil {
			o.parts.note(upgrade, time.Since(start))
		}
	}
	s := o.seatFor()
	if err != nil {
		o.failed(s, err)
		return nil, err
	}
	if err := s.attach(c); err == errOver {
		return nil, err
	}
	o.settle(s, true)
	return s, nil
}

// failed notes an attempt that came to nothing and has another one made. Before the first requests leave, a connection
// that is refused may not be so in a moment, and is no error yet; a host that does not exist, or a certificate that is
// not good, is given up for now.
func (o *opener) failed(s *seat, err error) {
	now := o.run.now()
	s.shard.mu.Lock()
	if s.failingSince == 0 {
		s.failingSince = now
	}
	var op *net.OpError
	var dns *net.DNSError
	passing := errors.As(err, &op) && op.Op == "dial" && !errors.As(err, &dns)
	final, started := !passing || now-s.failingSince >= int64(o.run.cfg.Timeout), o.run.started.Load() != 0
	if (final || started) && !s.shard.over && !s.shard.ending {
		s.shard.now.errors.Connect++
	}
	if final {
		s.failingSince = 0
	}
	s.pause = min(max(2*s.pause, firstPause), lastPause)
	pause := s.pause
	s.shard.mu.Unlock()
	o.mu.Lock()
	o.lastErr = err
	o.mu.Unlock()
	if final {
		o.settle(s, false)
	}
	if started {
		o.run.outages.begin(&o.run.open)
	}
	o.queueAfter(s, pause)
}

// settle notes that a seat has, or will not soon have, its first connection.
func (o *opener) settle(s *seat, open bool) {
	s.shard.mu.Lock()
	first := !s.everOpen && !s.givenUp
	firstOpen := open && !s.everOpen
	s.everOpen = s.everOpen || open
	s.givenUp = s.givenUp || !open
	s.shard.mu.Unlock()
	if firstOpen {
		o.everOpen.Add(1)
	}
	if first {
		o.settled.Add(1)
	}
	o.progress.Store(o.run.now())
}

// err says why nothing could be opened.
func (o *opener) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lastErr
}
