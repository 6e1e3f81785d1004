package server

import (
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// DefaultConfig has the defaults that the comments of Config promise.
func TestDefaultsAreWrittenOut(t *testing.T) {
	cfg := DefaultConfig()
	for field, c := range map[string][2]int64{
		"ReadBufferSize":      {int64(cfg.ReadBufferSize), 4 << 10},
		"WriteBufferSize":     {int64(cfg.WriteBufferSize), 4 << 10},
		"MaxHeadBytes":        {int64(cfg.MaxHeadBytes), 64 << 10},
		"MaxHeadFields":       {int64(cfg.MaxHeadFields), 200},
		"MaxBodyBytes":        {cfg.MaxBodyBytes, 32 << 20},
		"ReadHeaderTimeout":   {int64(cfg.ReadHeaderTimeout), int64(10 * time.Second)},
		"ReadTimeout":         {int64(cfg.ReadTimeout), 0},
		"WriteTimeout":        {int64(cfg.WriteTimeout), 0},
		"IdleTimeout":         {int64(cfg.IdleTimeout), int64(650 * time.Second)},
		"IdlePark":            {int64(cfg.IdlePark), int64(10 * time.Second)},
		"TLSHandshakeTimeout": {int64(cfg.TLSHandshakeTimeout), int64(10 * time.Second)},
		"MinReadRate":         {int64(cfg.MinReadRate), 240},
		"MinWriteRate":        {int64(cfg.MinWriteRate), 240},
		"RateGrace":           {int64(cfg.RateGrace), int64(5 * time.Second)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %d, want %d", field, c[0], c[1])
		}
	}
}

// The I/O core and the parser get the settings of the Config.
func TestSettingsReachTheCore(t *testing.T) {
	cfg := Config{ReadBufferSize: 1, MaxConns: 2, IdleTimeout: 3, ReadHeaderTimeout: 4, TLSHandshakeTimeout: 5, IdlePark: 6,
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

// A connection of HTTP/2 allows what the Config says, plus the size of what HTTP/1 has in its request line.
func TestSettingsReachHTTP2(t *testing.T) {
	cfg := Config{ReadHeaderTimeout: 1, MaxHeadBytes: 2, MaxHeadFields: 3, HTTP2: HTTP2Config{
		MaxConcurrentStreams: 4, MaxReadFrameSize: 5, StreamWindow: 6, ConnWindow: 7, DecoderTableSize: 8, EncoderTableSize: 9}}
	want := http2.Config{HeadTimeout: 1, MaxHeaderList: 2, MaxFields: 3 + 5, MaxStreams: 4, MaxFrameSize: 5, MaxWindow: 6, MaxConnWindow: 7,
		DecoderTable: 8, EncoderTable: 9, ConnectProtocol: true, SettingsTimeout: int64(10 * time.Second), Pool: h2conn.Pool}
	if got := cfg.h2Config(); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	for n, want := range map[int]uint32{-1: 1 << 30, 0: 1 << 30, 1: 1, 1 << 30: 1 << 30, 1<<31 - 1: 1 << 30} {
		if got := (&Config{MaxHeadBytes: n}).h2Config().MaxHeaderList; got != want {
			t.Errorf("heads of %d bytes: %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]uint32{-1: 1 << 16, 0: 1 << 16, 1: 6, 1<<16 - 6: 1<<16 - 1, 1<<16 - 5: 1 << 16, 1 << 16: 1 << 16, 1<<31 - 100: 1 << 16} {
		if got := (&Config{MaxHeadFields: n}).h2Config().MaxFields; got != want {
			t.Errorf("heads of %d fields: %d, want %d", n, got, want)
		}
	}
	for _, c := range []struct{ target, head, want int }{
		{1, 0, 1}, {-1, 100, -1}, {0, -1, -1}, {0, 100, 8 << 10}, {0, 16 << 10, 8 << 10}, {0, 16<<10 + 2, 8<<10 + 1}, {5, -1, 5},
	} {
		if got := (&Config{MaxTargetBytes: c.target, MaxHeadBytes: c.head}).maxTarget(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// The states of the core have the numbers of net/http's.
func TestConnStates(t *testing.T) {
	for core, want := range map[netconn.State]http.ConnState{netconn.StateNew: http.StateNew, netconn.StateActive: http.StateActive,
		netconn.StateIdle: http.StateIdle, netconn.StateHijacked: http.StateHijacked, netconn.StateClosed: http.StateClosed} {
		if http.ConnState(core) != want {
			t.Errorf("state %d of the core is not %v", core, want)
		}
	}
}
