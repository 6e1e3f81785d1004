package netconn

import (
	"testing"
	"time"
)

// boundsOf returns the fields of cfg that are limits.
func boundsOf(cfg Config) map[string]int64 {
	return map[string]int64{
		"MaxUnread": int64(cfg.MaxUnread), "WriteBuffer": int64(cfg.WriteBuffer), "ReadBuffer": int64(cfg.ReadBuffer),
		"IdleTimeout": int64(cfg.IdleTimeout), "MessageTimeout": int64(cfg.MessageTimeout),
		"HandshakeTimeout": int64(cfg.HandshakeTimeout), "MinReadRate": int64(cfg.MinReadRate),
		"MinWriteRate": int64(cfg.MinWriteRate), "RateGrace": int64(cfg.RateGrace),
		"LingerTimeout": int64(cfg.LingerTimeout), "LingerBytes": int64(cfg.LingerBytes),
	}
}

// A field of Config that is not set has its documented default, and a negative field means no limit.
func TestDefaultLimits(t *testing.T) {
	unset := boundsOf(Config{}.withDefaults())
	for name, want := range map[string]int64{
		"MaxUnread": 4 << 20, "WriteBuffer": 64 << 10, "ReadBuffer": 4 << 10,
		"IdleTimeout": int64(60 * time.Second), "MessageTimeout": int64(10 * time.Second),
		"HandshakeTimeout": int64(10 * time.Second), "MinReadRate": 240,
		"MinWriteRate": 240, "RateGrace": int64(5 * time.Second),
		"LingerTimeout": int64(time.Second), "LingerBytes": 256 << 10,
	} {
		if got := unset[name]; got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if none := (Config{MaxUnread: -1, IdleTimeout: -1}).withDefaults(); none.MaxUnread != 0 || none.IdleTimeout != 0 {
		t.Errorf("negative: %d bytes and %v", none.MaxUnread, none.IdleTimeout)
	}
}
