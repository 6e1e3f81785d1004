package server

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/preamble"
)

// service is what all exchanges of a server share, whatever carries them: its settings, its handler and its counters.
// It knows no connections.
type service struct {
	cfg       Config
	behaviour *behaviour.Behaviour
	log       *slog.Logger
	preambles preamble.Cache
	altSvc    atomic.Pointer[string] // the field of that name in responses over TLS (RFC 7838 §3); nil: none

	requests counter
	refused  atomic.Int64
	panics   atomic.Int64
}

// newService returns the service with the settings cfg.
func newService(cfg Config) *service {
	s := &service{cfg: cfg.withDefaults(), log: cfg.Logger}
	if s.log == nil {
		s.log = defaults.Logger()
	}
	s.behaviour = &behaviour.Default
	if cfg.likeNetHTTP {
		s.behaviour = &behaviour.NetHTTP
	}
	s.preambles.Name = cfg.ServerName
	return s
}

// appendStatus appends the status line of code.
func (s *service) appendStatus(dst []byte, code int) []byte {
	return http1.AppendStatusLine(dst, code, s.behaviour.Reason(code))
}

// appendRefusal appends a complete response with the given status, and why as its text.
func (s *service) appendRefusal(dst []byte, now time.Time, status int, why string) []byte {
	pre := s.preambles.At(now)
	dst = s.appendStatus(dst, status)
	if status < 500 || !s.behaviour.Quirks.Has(behaviour.OmitsDateOn5xx) {
		dst = append(dst, pre.Date...)
	}
	dst = append(dst, pre.Server...)
	return s.behaviour.Refusal(dst, status, why)
}
