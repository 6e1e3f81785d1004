package gateway

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/websocket"
)

// peer is a WebSocket connection and the connection to its service.
//
//	dialling ──► open ──the peer's close frame──► half closed ──the service's FIN, or HalfClose──► answered ──► over
//	   │          ├──the service's FIN──► 1000 is sent, the peer's messages are passed on ──its answer──────►│
//	   └─ 1013 ──►└──anything else: a close frame, or none───────────────────────────────────────────────────►│
type peer struct {
	g        *Gateway
	route    *Route
	req      Request
	ws       *websocket.Conn // set by onOpen, before any other goroutine uses it
	peerGone chan struct{}   // closed when the peer's connection has ended
	done     chan struct{}   // closed when both connections have ended

	in, out       atomic.Int64 // bytes of payload from and to the peer
	active        atomic.Int64 // time of the last message in either direction
	serviceFailed atomic.Bool  // writing to the service has failed

	mu          sync.Mutex
	service     net.Conn // nil until it is connected
	sentFIN     bool     // our direction to the service has ended
	serviceDone bool     // nothing more is read from the service
	stopping    bool     // the gateway is stopping
	lingering   bool     // the peer's connection has ended, and reading from the service has a deadline
	broken      bool     // the service did not receive everything it should have
	cut         bool     // one side was not given enough time to receive everything
	openConns   int      // number of connections that have not ended
	peerClose   *websocket.CloseError
	end         *End
	answerTimer *clock.SteppedTimer // answers the peer's close frame after HalfClose
	idle        *clock.Timer
}

func newPeer(g *Gateway, route *Route, req Request) *peer {
	return &peer{g: g, route: route, req: req, peerGone: make(chan struct{}), done: make(chan struct{}), openConns: 1}
}

// config returns the configuration of the peer's connection.
func (p *peer) config() websocket.Config {
	cfg := &p.g.cfg
	limit := int64(cfg.MaxMessage)
	if limit == 0 {
		limit = -1
	}
	return websocket.Config{
		Subprotocols: cfg.Subprotocols, Origins: cfg.Origins, ReadLimit: limit, PingInterval: cfg.Heartbeat,
		CloseTimeout: max(cfg.Linger, time.Millisecond), Group: &p.g.group,
		OnOpen: p.onOpen, OnMessage: p.onMessage, OnPeerClose: p.onPeerClose, OnClose: p.onClose,
	}
}

// onOpen dials the service. Meanwhile nothing is read from the peer.
func (p *peer) onOpen(c *websocket.Conn) {
	p.ws = c
	if !p.g.enter(p) {
		p.finish(goingAway)
		return
	}
	nc, err := dial(p.g.ctx, &p.g.cfg, p.route)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.stopping:
		if err == nil {
			nc.Close()
		}
		p.finishLocked(goingAway)
		return
	case err != nil:
		p.finishLocked(downEnd(err))
		return
	}
	p.service = nc
	p.openConns++
	p.touch()
	if d := p.g.cfg.Idle; d > 0 {
		p.idle = p.g.clock.AfterFunc(d, p.checkIdle)
	}
	go p.pump()
}

// finish closes the peer's connection with e, after what was already written to it. The service's connection ends after
// that.
func (p *peer) finish(e End) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finishLocked(e)
}

func (p *peer) finishLocked(e End) {
	p.setEnd(e)
	_ = p.ws.Close(e.Code, e.Text)
}

// setEnd records how the peer ended; the first call counts. p.mu must be held.
func (p *peer) setEnd(e End) {
	if p.end == nil {
		p.end = &e
	}
}

// onClose is called when the peer's connection has ended.
func (p *peer) onClose(_ *websocket.Conn, err error) {
	p.mu.Lock()
	e := peerEnd(err)
	p.setEnd(e)
	p.cut = p.cut || e.Reason == "slow"
	p.stopTimers()
	if p.service != nil {
		p.lingering = true
		_ = p.service.SetReadDeadline(time.Now().Add(p.g.cfg.Linger))
	}
	p.mu.Unlock()
	p.finishService()
	close(p.peerGone)
	p.connEnded()
}

func (p *peer) stopTimers() {
	if t := p.answerTimer; t != nil {
		t.Stop()
	}
	if t := p.idle; t != nil {
		t.Stop()
	}
}

// connEnded is called when either connection has ended.
func (p *peer) connEnded() {
	p.mu.Lock()
	p.openConns--
	last := p.openConns == 0
	r := Report{Request: p.req, Status: http.StatusSwitchingProtocols, To: p.route.To, In: p.in.Load(), Out: p.out.Load(), Took: time.Since(p.req.Start)}
	if p.end != nil {
		r.End = *p.end
	}
	cut := p.cut
	p.mu.Unlock()
	if last {
		p.g.leave(p, r, cut)
		close(p.done)
	}
}

// beginShutdown starts ending a peer because the gateway is stopping. It makes pump's read fail, so pump ends the peer
// after the message that it may be writing.
func (p *peer) beginShutdown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopping = true
	if p.service != nil && !p.lingering {
		_ = p.service.SetReadDeadline(time.Unix(1, 0))
	}
}

// cutOff ends both connections at once.
func (p *peer) cutOff() {
	p.mu.Lock()
	service, told := p.service, p.lingering && !p.cut && !p.broken
	p.cut = !told
	p.mu.Unlock()
	switch {
	case service == nil:
	case told: // the service has received everything; it only does not end its side
		service.Close()
	default:
		reset(service)
	}
	_ = p.ws.CloseNow()
}

// touch records that a message has arrived, for checkIdle.
func (p *peer) touch() {
	if p.g.cfg.Idle > 0 {
		p.active.Store(p.g.clock.Now())
	}
}

// checkIdle ends a peer without a message in either direction for Config.Idle.
func (p *peer) checkIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	quiet := time.Duration(p.g.clock.Now() - p.active.Load())
	switch left := p.g.cfg.Idle - quiet; {
	case p.lingering:
	case left > 0:
		p.idle.Reset(left)
	default:
		p.finishLocked(idleEnd)
	}
}
