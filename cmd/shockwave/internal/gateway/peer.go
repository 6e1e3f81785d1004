package gateway

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// peer is a WebSocket connection and the one to its service.
//
//	dialling ──► open ──the peer's close frame──► half closed ──the service's FIN, or HalfClose──► answered ──► over
//	   │          ├──the service's FIN──► 1000 is sent, what the peer still says is passed on ──its answer──►│
//	   └─ 1013 ──►└──anything else: a close frame, or none──────────────────────────────────────────────────►│
type peer struct {
	g     *Gateway
	route *Route
	req   Request
	ws    *websocket.Conn // the connection's goroutine sets it, before there is another
	over  chan struct{}   // closed when the peer's connection is over
	gone  chan struct{}   // closed when both are

	in, out atomic.Int64 // bytes of payload from and to the peer
	active  atomic.Int64 // when a message came last, from either side
	deaf    atomic.Bool  // the service takes nothing more

	mu       sync.Mutex
	service  net.Conn // nil until it is there
	finished bool     // nothing more is written to it
	spoken   bool     // nothing more is read from it
	leaving  bool     // the gateway stops
	lingers  bool     // the peer's connection is over, the service's has a deadline
	broken   bool     // the service has not taken all that it was to have
	cut      bool     // either side was not given the time for that
	parts    int      // connections that are not over
	said     *websocket.CloseError
	end      *End
	answer   *time.Timer // sends the answer to said
	idle     *time.Timer
}

func newPeer(g *Gateway, route *Route, req Request) *peer {
	return &peer{g: g, route: route, req: req, over: make(chan struct{}), gone: make(chan struct{}), parts: 1}
}

// config is how the peer's connection works.
func (p *peer) config() websocket.Config {
	cfg := &p.g.cfg
	limit := int64(cfg.MaxMessage)
	if limit == 0 {
		limit = -1
	}
	return websocket.Config{
		Subprotocols: cfg.Subprotocols, Origins: cfg.Origins, ReadLimit: limit, PingInterval: cfg.Heartbeat,
		CloseTimeout: max(cfg.Linger, time.Millisecond), Group: &p.g.group,
		OnOpen: p.open, OnMessage: p.message, OnPeerClose: p.peerCloses, OnClose: p.closed,
	}
}

// open connects the service. What the peer sends waits meanwhile.
func (p *peer) open(c *websocket.Conn) {
	p.ws = c
	if !p.g.enter(p) {
		p.finish(goingAway)
		return
	}
	nc, err := p.g.dial(p.route)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.leaving:
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
	p.parts++
	p.touch()
	if d := p.g.cfg.Idle; d > 0 {
		p.idle = time.AfterFunc(d, p.checkIdle)
	}
	go p.pump()
}

// finish ends the peer's connection with e, behind what was written to it; that of the service follows.
func (p *peer) finish(e End) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finishLocked(e)
}

func (p *peer) finishLocked(e End) {
	p.note(e)
	_ = p.ws.Close(e.Code, e.Text)
}

// note keeps how the peer ends, which is what came first. p.mu is held.
func (p *peer) note(e End) {
	if p.end == nil {
		p.end = &e
	}
}

// closed is told that the peer's connection is over.
func (p *peer) closed(_ *websocket.Conn, err error) {
	p.mu.Lock()
	e := peerEnd(err)
	p.note(e)
	p.cut = p.cut || e.Reason == "slow"
	p.stopTimers()
	if p.service != nil {
		p.lingers = true
		_ = p.service.SetReadDeadline(time.Now().Add(p.g.cfg.Linger))
	}
	p.mu.Unlock()
	p.finishService()
	close(p.over)
	p.part()
}

func (p *peer) stopTimers() {
	for _, t := range []*time.Timer{p.answer, p.idle} {
		if t != nil {
			t.Stop()
		}
	}
}

// part is called when one of the connections is over.
func (p *peer) part() {
	p.mu.Lock()
	p.parts--
	last := p.parts == 0
	r := Report{Request: p.req, Status: http.StatusSwitchingProtocols, To: p.route.To, In: p.in.Load(), Out: p.out.Load(), Took: time.Since(p.req.Start)}
	if p.end != nil {
		r.End = *p.end
	}
	cut := p.cut
	p.mu.Unlock()
	if last {
		p.g.leave(p, r, cut)
		close(p.gone)
	}
}

// depart ends a peer because the gateway stops. The goroutine that reads from the service does it, behind what it is
// writing.
func (p *peer) depart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = true
	if p.service != nil && !p.lingers {
		_ = p.service.SetReadDeadline(time.Unix(1, 0))
	}
}

// cutOff ends both connections at once.
func (p *peer) cutOff() {
	p.mu.Lock()
	service, told := p.service, p.lingers && !p.cut && !p.broken
	p.cut = !told
	p.mu.Unlock()
	switch {
	case service == nil:
	case told: // it has all of what was taken, and does not end
		service.Close()
	default:
		reset(service)
	}
	_ = p.ws.CloseNow()
}

// touch notes that a message has come.
func (p *peer) touch() {
	if p.g.cfg.Idle > 0 {
		p.active.Store(time.Now().UnixNano())
	}
}

// checkIdle ends a peer that nothing has come from or for.
func (p *peer) checkIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	quiet := time.Duration(time.Now().UnixNano() - p.active.Load())
	switch left := p.g.cfg.Idle - quiet; {
	case p.lingers:
	case left > 0:
		p.idle.Reset(left)
	default:
		p.finishLocked(idleEnd)
	}
}
