package nethttp

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// StandStill has t, which was not used yet, go by a clock that only the test moves.
func StandStill(t *Transport) *clock.Clock {
	clk := clock.NewManual()
	t.once.Do(func() {
		t.init()
		cfg := t.engineConfig()
		cfg.Clock = clk
		t.engine = netconn.New(cfg)
	})
	return clk
}

// BodyIsBeingRead tells whether some goroutine is reading the body of the request that w answers.
func BodyIsBeingRead(w http.ResponseWriter) bool {
	b := w.(*response).x.body
	if b.mu.TryLock() {
		b.mu.Unlock()
		return false
	}
	return true
}

// HandshakeTimeout is what s gives the native server.
func HandshakeTimeout(s *Server) time.Duration { return s.handshakeTimeout() }

// SwitchOf finds a state of an http.Server that its methods set.
var SwitchOf = switchOf
