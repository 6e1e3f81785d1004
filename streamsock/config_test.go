package streamsock

import (
	"log/slog"
	"math"
	"testing"
	"time"
)

// limits are those settings that Config documents a default for.
type limits struct {
	message    uint32
	queue      int64
	messages   int
	receive    int64
	each       int64
	handshake  time.Duration
	linger     time.Duration
	first      time.Duration
	longest    time.Duration
	id         ID
	idle, away time.Duration
}

// A zero field is the default and a negative one means none.
func TestDefaults(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  Config
		want limits
	}{
		{"zero", Config{}, limits{
			16 << 20, 4 << 20, 1000, 64 << 20, 1 << 20, 10 * time.Second, 5 * time.Second, 100 * time.Millisecond, 5 * time.Second, 1<<32 - 1, 0, 0,
		}},
		{"given", Config{
			MaxMessage: 1, QueueBytes: 2, QueueMessages: 3, ReceiveBytes: 4, PeerBytes: 5, HandshakeTimeout: 6, Linger: 7, RedialFirst: 8, RedialLongest: 9, LastID: 10,
			IdleTimeout: 11, Away: 12,
		}, limits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"negative", Config{
			MaxMessage: -1, QueueBytes: -1, QueueMessages: -1, ReceiveBytes: -1, PeerBytes: -1, HandshakeTimeout: -1, Linger: -1, RedialFirst: -1, RedialLongest: -1,
		}, limits{min(math.MaxUint32, math.MaxInt), math.MaxInt64, math.MaxInt, math.MaxInt64, math.MaxInt64, 0, 0, -1, 0, 1<<32 - 1, 0, 0}},
	} {
		s := tc.cfg.settings()
		got := limits{
			s.format.maxMessage, s.QueueBytes, s.QueueMessages, s.ReceiveBytes, s.PeerBytes, s.HandshakeTimeout, s.Linger, s.RedialFirst, s.RedialLongest, s.LastID,
			s.IdleTimeout, s.Away,
		}
		if got != tc.want || s.Logger != slog.Default() {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
	l := slog.New(slog.DiscardHandler)
	if s := (Config{Logger: l}).settings(); s.Logger != l {
		t.Error("got another Logger than that of Config")
	}
}
