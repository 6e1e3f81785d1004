package server

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
)

// TestDefaultsAreWrittenOut: DefaultConfig holds what the comments of Config promise.
func TestDefaultsAreWrittenOut(t *testing.T) {
	cfg := DefaultConfig()
	for field, c := range map[string][2]int64{
		"ReadBufferSize":    {int64(cfg.ReadBufferSize), 4 << 10},
		"WriteBufferSize":   {int64(cfg.WriteBufferSize), 4 << 10},
		"MaxHeadBytes":      {int64(cfg.MaxHeadBytes), 64 << 10},
		"MaxHeadFields":     {int64(cfg.MaxHeadFields), 200},
		"MaxBodyBytes":      {cfg.MaxBodyBytes, 32 << 20},
		"ReadHeaderTimeout": {int64(cfg.ReadHeaderTimeout), int64(10 * time.Second)},
		"ReadTimeout":       {int64(cfg.ReadTimeout), 0},
		"WriteTimeout":      {int64(cfg.WriteTimeout), 0},
		"IdleTimeout":       {int64(cfg.IdleTimeout), int64(time.Minute)},
		"IdlePark":          {int64(cfg.IdlePark), int64(10 * time.Second)},
		"HandshakeTimeout":  {int64(cfg.HandshakeTimeout), int64(10 * time.Second)},
		"MinReadRate":       {int64(cfg.MinReadRate), 240},
		"MinWriteRate":      {int64(cfg.MinWriteRate), 240},
		"RateGrace":         {int64(cfg.RateGrace), int64(5 * time.Second)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %d, want %d", field, c[0], c[1])
		}
	}
}

// TestSettingsReachTheCore: what the I/O core and the parser look after is what the Config says.
func TestSettingsReachTheCore(t *testing.T) {
	cfg := Config{ReadBufferSize: 1, MaxConns: 2, IdleTimeout: 3, ReadHeaderTimeout: 4, HandshakeTimeout: 5, IdlePark: 6,
		MinReadRate: 7, MinWriteRate: 8, RateGrace: 9, MaxHeadBytes: 10, MaxHeadFields: 11, MaxTargetBytes: 12}
	e := cfg.engine()
	got := []int64{int64(e.ReadBuffer), int64(e.MaxConns), int64(e.IdleTimeout), int64(e.MessageTimeout),
		int64(e.HandshakeTimeout), int64(e.IdlePark), int64(e.MinReadRate), int64(e.MinWriteRate), int64(e.RateGrace)}
	for i, n := range got {
		if n != int64(i+1) {
			t.Errorf("setting %d reached the core as %d", i+1, n)
		}
	}
	if l, want := cfg.limits(), (http1.Limits{HeadBytes: 10, Fields: 11, TargetBytes: 12}); l != want {
		t.Errorf("limits %+v, want %+v", l, want)
	}
	for head, want := range map[int]int{-1: -1, 0: 4 << 20, 1: 4 << 20, 2 << 20: 4 << 20, 8 << 20: 16 << 20} {
		if got := (&Config{MaxHeadBytes: head}).maxUnread(); got != want {
			t.Errorf("heads of %d bytes: %d may stand unread, want %d", head, got, want)
		}
	}
}

func TestConnStatesHaveNames(t *testing.T) {
	for s, want := range map[ConnState]string{StateNew: "new", StateActive: "active", StateIdle: "idle",
		StateHijacked: "hijacked", StateClosed: "closed", -1: "unknown", 5: "unknown"} {
		if got := s.String(); got != want {
			t.Errorf("state %d is %q, want %q", s, got, want)
		}
	}
}
