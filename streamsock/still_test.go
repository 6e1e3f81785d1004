package streamsock

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// NewStill returns a socket that ends with the test, and its clock, which stands still until it is advanced: what the socket
// watches for, and what leaves within a tick, waits for that. Timers go on. No peer is too slow to take output: a write during
// which the clock is advanced would seem to take as long.
func NewStill(t *testing.T, cfg Config) (*Socket, *clock.Clock) {
	k := clock.NewManual()
	s := New(cfg)
	engine := s.engineConfig()
	engine.Clock, engine.MinWriteRate = k, -1
	s.engine = netconn.New(engine)
	t.Cleanup(func() {
		for _, p := range s.Peers() {
			p.cut()
		}
		_ = s.Shutdown(t.Context())
	})
	return s, k
}

// cut ends p's connection, if it has one, with a reset.
func (p *Peer) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.nc.Abort()
	}
}

// Halved reports whether a message of p's has begun to come and not ended, and the clock knows since when.
func (p *Peer) Halved() bool { return p.Looked() != 0 }

// Looked returns when a message of p's that has not ended began to come, or when its rate was last looked at; 0 if there is none.
func (p *Peer) Looked() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return 0
	}
	a := &p.conn.rate
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.began
}

// live returns p's connection, which the user may be told of a moment before it can be used.
func (p *Peer) live() *conn {
	for {
		p.mu.Lock()
		c := p.conn
		p.mu.Unlock()
		if c != nil {
			return c
		}
		runtime.Gosched()
	}
}

// Sign notes a sign of life of p's at now.
func (p *Peer) Sign(now int64) { p.live().heartbeat.signOfLife(now) }

// Taken reports whether the peer has acknowledged all output.
func (p *Peer) Taken() bool {
	g := p.live().nc.Progress()
	return !g.Unsent && g.Outstanding == 0
}

// Beat is what an alarm of p's connection does at now.
func (p *Peer) Beat(now int64, waits bool) time.Duration {
	c := p.live()
	next, _ := c.heartbeat.check(c.frames, now, !waits)
	return next
}

// Warm reports whether what is sent to p next is gathered.
func (p *Peer) Warm() bool { return p.live().writer.gather.Unanswered() }

// Hold has what is sent to p be kept back as long as p's connection reads what has come.
func (p *Peer) Hold() { p.live().nc.Hold() }

// Release ends Hold.
func (p *Peer) Release() { p.live().nc.Release() }

// Pauses is what p's connection does while the user is waited for.
func (p *Peer) Pauses() (goOn func()) { return p.live().pauseForUser() }

// Unsent reports whether something that p's connection was given has not left.
func (p *Peer) Unsent() bool { return p.live().nc.Unsent() }

// Unacknowledged returns how many bytes the system holds of what p's TCP connection has sent, -1 if it does not say.
func (p *Peer) Unacknowledged() (n int) {
	raw, err := p.live().nc.NetConn().(*net.TCPConn).SyscallConn()
	if err != nil || raw.Control(func(fd uintptr) { n = sys.Unsent(int(fd)) }) != nil {
		return 0
	}
	return n
}

// Waits reports whether the user is waited for.
func (p *Peer) Waits() bool { return p.live().waitsForUser.Load() }

// Partial is how many bytes are held of messages that are not whole.
func (s *Socket) Partial() int64 {
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	return s.inbox.partial
}
