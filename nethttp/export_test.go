package nethttp

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// StandStill has t, which was not used yet, go by a clock that only the test moves.
func StandStill(t *Transport) *clock.Clock {
	clk := clock.NewManual()
	t.once.Do(func() {
		t.versions = t.protocols()
		cfg := t.config()
		cfg.Engine.Clock = clk
		t.client = httpclient.New(cfg)
	})
	return clk
}

// BodyIsBeingRead reports whether some goroutine is reading the body of the request that w answers.
func BodyIsBeingRead(w http.ResponseWriter) bool {
	b := w.(*response).x.body
	if b.mu.TryLock() {
		b.mu.Unlock()
		return false
	}
	return true
}

// Grants is what t gives HTTP/2's connections.
func Grants(t *Transport) http2.Config { return t.http2Config().Wire }

// Runs reports whether t has requests under way.
func Runs(t *Transport) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running != nil
}

// Holding has f run while nobody else has cc.
func Holding(cc *ClientConn, f func()) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	f()
}

// HandshakeTimeout is what s gives the native server.
func HandshakeTimeout(s *Server) time.Duration { return s.handshakeTimeout() }

// AtomicBoolField finds a state of an http.Server that its methods set.
var AtomicBoolField = atomicBoolField
