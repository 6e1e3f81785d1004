package load

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// maxDials is how many connections are opened at the same time.
const maxDials = 64

// opener opens the connections of the slots.
type opener struct {
	run    *run
	parts  parts
	dial   func(ctx context.Context) (net.Conn, error)
	queue  chan *slot    // slots that need a connection; each is queued at most once
	opened chan struct{} // a dialled connection has started or failed its handshake

	mu      sync.Mutex
	dialled []*slot // slots with a dialled connection; the next one to start may take any of these slots
	lastErr error

	settled  atomic.Int64 // slots that have had a connection or were given up
	everOpen atomic.Int64
	progress atomic.Int64 // when a slot settled last
}

func newOpener(r *run) *opener {
	o := &opener{run: r, queue: make(chan *slot, len(r.slots)), opened: make(chan struct{}, maxDials)}
	d := &dialler{address: r.cfg.address(), parts: &o.parts, Dialer: net.Dialer{Timeout: r.cfg.Timeout, KeepAlive: -1}}
	o.dial = d.dial
	return o
}

// queueAfter queues s for opening a connection after a pause.
func (o *opener) queueAfter(s *slot, pause time.Duration) {
	if pause == 0 {
		o.queue <- s
		return
	}
	time.AfterFunc(pause, func() { o.queue <- s })
}

// work opens connections until ctx is done.
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

// open dials for s and starts the connection. It reports whether the handshake goes on.
func (o *opener) open(ctx context.Context, s *slot) bool {
	if o.run.cfg.HTTP3 {
		o.openH3(ctx, s)
		return false
	}
	nc, err := o.dial(ctx)
	if err == nil && o.run.cfg.TLS != nil {
		nc, err = o.secure(ctx, nc)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return false // the run is over: not an error
	case err != nil:
		o.failed(s, err)
		return false
	}
	o.mu.Lock()
	o.dialled = append(o.dialled, s)
	o.mu.Unlock()
	return o.run.engine.Run(nc, nil, o.begin) == nil
}

// errNoH2 is the error for a server that does not negotiate HTTP/2 over TLS (RFC 9113 §3.2).
var errNoH2 = errors.New("load: the server does not choose h2 in the TLS handshake (ALPN)")

// secure makes the TLS handshake on nc.
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

// slotFor returns a slot for a connection that has started or failed. That may be any slot that waits for a connection.
func (o *opener) slotFor() *slot {
	o.mu.Lock()
	s := o.dialled[len(o.dialled)-1]
	o.dialled = o.dialled[:len(o.dialled)-1]
	o.mu.Unlock()
	o.opened <- struct{}{}
	return s
}

// begin is called by the engine for a new connection. It makes the WebSocket handshake, if any.
func (o *opener) begin(c *netconn.Conn) (netconn.Protocol, error) {
	var err error
	if m := o.run.req.message; m != nil && m.handshake != nil {
		start := time.Now()
		if err = m.doHandshake(c, o.run.cfg.Timeout); err == nil {
			o.parts.note(upgrade, time.Since(start))
		}
	}
	s := o.slotFor()
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

// failed handles a failed attempt and schedules the next one. Before the first requests are sent, a refused connection
// is not counted as an error until Timeout has passed: the server may be about to start. An unknown host or a bad
// certificate is counted at once.
func (o *opener) failed(s *slot, err error) {
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

// settle records that a slot has its first connection, or that it has been given up for now.
func (o *opener) settle(s *slot, open bool) {
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

// err returns the last error of opening a connection.
func (o *opener) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lastErr
}
