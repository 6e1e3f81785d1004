package gateway

import (
	"context"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/websocket"
)

// Gateway passes messages between peers and services. It implements server.Handler. All methods may be called
// concurrently.
type Gateway struct {
	cfg    Config
	routes map[string]*Route // by path
	group  websocket.Group
	clock  *clock.Clock    // for Config.Idle: a suspended gateway blames no peer
	ctx    context.Context // for dialling; done when the gateway stops
	stop   context.CancelFunc

	mu       sync.Mutex
	reserved int // reserved places of MaxPeers: peers, and requests that are becoming peers
	peers    map[*peer]struct{}
	stopping bool
	cut      int // peers that lost data while the gateway was stopping
}

// New returns a Gateway for the routes of cfg, whose paths must be different.
func New(cfg Config) *Gateway {
	g := &Gateway{cfg: cfg, clock: clock.New(), routes: map[string]*Route{}, peers: map[*peer]struct{}{}}
	g.group.Logger = cfg.Logger
	g.ctx, g.stop = context.WithCancel(context.Background())
	for i := range cfg.Routes {
		g.routes[cfg.Routes[i].Path] = &cfg.Routes[i]
	}
	return g
}

// reserve reserves a place for a peer. If there is none it returns the reason.
func (g *Gateway) reserve() (refused string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.stopping:
		return "the gateway stops: come back later"
	case g.cfg.MaxPeers > 0 && g.reserved >= g.cfg.MaxPeers:
		return "too many peers: come back later"
	}
	g.reserved++
	return ""
}

// release frees a place.
func (g *Gateway) release() {
	g.mu.Lock()
	g.reserved--
	g.mu.Unlock()
}

// enter adds p to the peers. It reports false if the gateway is stopping.
func (g *Gateway) enter(p *peer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return false
	}
	g.peers[p] = struct{}{}
	return true
}

// leave removes a peer whose connections have both ended, and calls OnEnd. It frees the peer's place before the call,
// and Shutdown does not return before the call has.
func (g *Gateway) leave(p *peer, r Report, cut bool) {
	g.release()
	if f := g.cfg.OnEnd; f != nil {
		f(r)
	}
	g.mu.Lock()
	delete(g.peers, p)
	if cut && g.stopping {
		g.cut++
	}
	g.mu.Unlock()
}

// Shutdown closes all peers with 1001, after passing on what was received from either side. When ctx is done it cuts
// off the remaining ones. It returns how many peers or services did not receive everything. Later upgrades are refused
// with 503, and those in progress are closed with 1001.
func (g *Gateway) Shutdown(ctx context.Context) (cut int) {
	g.mu.Lock()
	g.stopping = true
	var peers []*peer
	for p := range g.peers {
		peers = append(peers, p)
	}
	g.mu.Unlock()
	g.stop()
	for _, p := range peers {
		p.beginShutdown()
	}
	for _, p := range peers {
		select {
		case <-p.done:
			continue
		case <-ctx.Done():
		}
		p.cutOff()
	}
	for _, p := range peers {
		<-p.done
	}
	_ = g.group.Shutdown(ctx) // connections whose handshake was in progress
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cut
}
