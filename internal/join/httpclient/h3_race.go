package httpclient

import (
	"context"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/altsvc"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// http3 sends requests over HTTP/3 to servers that offer it.
//
//	offered (Alt-Svc, HTTPS records) ─► a connection is ready ─► use it
//	                                  └► dial, beside TCP: a request without a connection waits for it for raceDelay
//	                                      └► failed: the offer is left alone for a time that grows
type http3 struct {
	carrier.Client
	offers *altsvc.Cache

	mu    sync.Mutex
	dials map[string]*h3Dial // in progress, by the origin's host:port
}

// h3Dial is a connection that is being opened beside TCP.
type h3Dial struct {
	began time.Time
	done  chan struct{} // closed when it has come to an end
}

// reachable is a server's connections of TCP.
type reachable interface {
	// hasIdle reports whether a request can begin on one that is there.
	hasIdle() bool
}

// raceDelay is how long a request without a connection waits for one of HTTP/3 before it opens one of TCP as well (RFC 8305 §5).
const raceDelay = 250 * time.Millisecond

// noOffer is for how long the domain name system is not asked again about a server that it does not know to speak HTTP/3.
const noOffer = time.Minute

func newHTTP3(c carrier.Client) *http3 {
	return &http3{Client: c, offers: altsvc.NewCache("h3", time.Now), dials: map[string]*h3Dial{}}
}

// race opens a connection of HTTP/3 to an origin while requests use TCP. If there is no connection of TCP that the request could
// use, race waits for it for a while. It reports whether the request should look for it.
func (h *http3) race(ctx, life context.Context, tcp reachable, at carrier.Origin) bool {
	h.mu.Lock()
	d := h.dials[at.Addr]
	if d == nil {
		d = &h3Dial{time.Now(), make(chan struct{})}
		h.dials[at.Addr] = d
		go h.dial(context.WithoutCancel(ctx), life, at, d)
	}
	h.mu.Unlock()
	if tcp.hasIdle() {
		return false
	}
	timer := time.NewTimer(raceDelay - time.Since(d.began))
	defer timer.Stop()
	select {
	case <-d.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// dial opens a connection of HTTP/3 to an origin that has offered it, or whose name says that it speaks it.
func (h *http3) dial(ctx, life context.Context, at carrier.Origin, d *h3Dial) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	defer func() {
		h.mu.Lock()
		delete(h.dials, at.Addr)
		h.mu.Unlock()
		close(d.done)
	}()
	addr, known := h.offers.Find(at.Addr)
	if !known {
		found, ttl, ok := h.Lookup(ctx, at)
		if !ok {
			found, ttl = "", noOffer
		}
		h.offers.Add(at.Addr, found, ttl)
		addr = found
	}
	if addr == "" {
		return
	}
	if err := h.Dial(ctx, carrier.Origin{Host: at.Host, Addr: addr}); err != nil && life.Err() == nil {
		h.offers.Failed(at.Addr, addr)
	}
}

// readyFor reports whether there is an HTTP/3 connection for k, after no TCP connection to its server could be opened.
func (h *http3) readyFor(k *Call) bool {
	at, ok := k.Key.origin()
	if !ok {
		return false
	}
	addr, _ := h.offers.Find(at.Addr)
	return addr != "" && h.Ready(carrier.Origin{Host: at.Host, Addr: addr})
}

// learn takes the Alt-Svc fields of a response.
func (h *http3) learn(k *Key, fields *shockwave.Header) {
	at, ok := k.origin()
	if !ok {
		return
	}
	var list []byte
	for v, i := fields.Next("Alt-Svc", 0); i > 0; v, i = fields.Next("Alt-Svc", i) {
		if list != nil {
			list = append(list, ", "...)
		}
		list = append(list, v...)
	}
	if list != nil {
		h.offers.Learn(at.Addr, string(list))
	}
}
