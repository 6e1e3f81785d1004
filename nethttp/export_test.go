package nethttp

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/nethttp/internal/roundtrip"
)

// StandStill makes t, which must not have been used yet, use a clock that only the test advances.
func StandStill(t *Transport) *clock.Clock {
	clk := clock.NewManual()
	t.once.Do(func() { t.engine.Init(t.settings, func(cfg *httpclient.Config) { cfg.Engine.Clock = clk }) })
	return clk
}

// BodyIsBeingRead reports whether a goroutine is reading the body of the request that w answers.
func BodyIsBeingRead(w http.ResponseWriter) bool {
	one, ok := w.(*response)
	if !ok {
		one = &w.(*h1Response).response
	}
	b := one.x.body
	if b.mu.TryLock() {
		b.mu.Unlock()
		return false
	}
	return true
}

// Grants returns the HTTP/2 configuration of the connections of t.
func Grants(t *Transport) http2.Config { return roundtrip.HTTP2Config(t.settings()) }

// Runs reports whether t has requests in progress.
func Runs(t *Transport) bool { return t.engine.Running() }

// Holding calls f with cc locked.
func Holding(cc *ClientConn, f func()) { cc.conn.Hold(f) }

// HandshakeTimeout returns the handshake timeout that s passes to the native server.
func HandshakeTimeout(s *Server) time.Duration { return s.handshakeTimeout() }

// AtomicBoolField returns a field of an http.Server that its methods set.
var AtomicBoolField = atomicBoolField
