package gateway

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// Config is how a Gateway works. A bound or time that is 0 is none.
type Config struct {
	Routes []Route
	Raw    bool // services speak bytes without lengths
	Text   bool // text messages are taken, and what services say is sent as text; not with Raw

	MaxMessage uint32 // bytes, either way
	MaxPeers   int    // at a time; others are refused with 503

	Subprotocols []string // best first; a client that offers none of them is refused with 400
	Origins      []string // further ones whose pages may connect, as websocket.Config has them

	Dial      time.Duration // for a connection to the service, TLS included
	Stall     time.Duration // for which the service may take nothing of what waits for it
	Idle      time.Duration // without a message from either side
	Heartbeat time.Duration // of silence, until a peer is asked for a sign of life
	HalfClose time.Duration // for which a peer that has sent a close frame is told what the service still says
	Linger    time.Duration // for what was taken to leave when a side has ended

	TLS    *tls.Config // for services on tls; it is not changed
	OnEnd  func(r Report)
	Logger *slog.Logger // is told of callbacks that panic
}

// Gateway passes messages between peers and services. It is a server.Handler. All methods may be called concurrently.
type Gateway struct {
	cfg    Config
	routes map[string]*Route // by their paths
	group  websocket.Group
	ctx    context.Context // of dialling; ends when the gateway stops
	stop   context.CancelFunc

	mu       sync.Mutex
	taken    int // places of MaxPeers: peers, and requests that become some
	peers    map[*peer]struct{}
	stopping bool
	cut      int // peers that lost something while the gateway was stopping
}

// New returns a Gateway for the routes of cfg, which have different paths.
func New(cfg Config) *Gateway {
	g := &Gateway{cfg: cfg, routes: map[string]*Route{}, peers: map[*peer]struct{}{}}
	g.group.Logger = cfg.Logger
	g.ctx, g.stop = context.WithCancel(context.Background())
	for i := range cfg.Routes {
		g.routes[cfg.Routes[i].Path] = &cfg.Routes[i]
	}
	return g
}

// reserve takes a place for a peer, or says why there is none.
func (g *Gateway) reserve() (refused string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.stopping:
		return "the gateway stops: come back later"
	case g.cfg.MaxPeers > 0 && g.taken >= g.cfg.MaxPeers:
		return "too many peers: come back later"
	}
	g.taken++
	return ""
}

// release gives a place back.
func (g *Gateway) release() {
	g.mu.Lock()
	g.taken--
	g.mu.Unlock()
}

// enter makes p one of the peers. It reports false when the gateway stops.
func (g *Gateway) enter(p *peer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return false
	}
	g.peers[p] = struct{}{}
	return true
}

// leave forgets a peer of which both connections are over, and tells how it ended. Its place is another's before that is
// told, and the gateway does not stop before it was.
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

// Shutdown ends all peers with 1001, behind what was taken from their services, and their services' connections behind what
// was taken from them. It waits for that until ctx ends; then what is left is cut off. It returns how many peers or services
// did not get everything. Upgrades that come afterwards are refused with 503, those that are under way are told 1001.
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
		p.depart()
	}
	for _, p := range peers {
		select {
		case <-p.gone:
			continue
		case <-ctx.Done():
		}
		p.cutOff()
	}
	for _, p := range peers {
		<-p.gone
	}
	_ = g.group.Shutdown(ctx) // those whose handshake was under way
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cut
}
