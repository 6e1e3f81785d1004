package netconn

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// TestRatesOfFastTransfers: the accounts of the minimum rates do not overflow. The faster a peer is, the more bytes
// stand in a span; as nanoseconds times bytes they pass 63 bits at some GiB, and the fastest would be the slow ones.
func TestRatesOfFastTransfers(t *testing.T) {
	cfg := Config{}.withDefaults()
	for _, bytes := range []int64{1 << 20, 9 << 30, 10 << 30, 100 << 30, 1 << 50} {
		read := readAccount{waited: int64(cfg.RateGrace), bytes: bytes}
		if read.tooSlow(&cfg) {
			t.Errorf("who sent %d bytes within %v is too slow", bytes, cfg.RateGrace)
		}
		write := writeAccount{waited: 4 * int64(cfg.RateGrace), span: 3 * int64(cfg.RateGrace)}
		if write.tooSlow(&cfg, new(transport.Conn), bytes) {
			t.Errorf("who took %d bytes within %v is too slow", bytes, 3*cfg.RateGrace)
		}
	}
	cfg.MinReadRate, cfg.MinWriteRate = 1<<30, 1<<30 // an int may have 32 bits
	read := readAccount{waited: int64(cfg.RateGrace), bytes: 2 << 30}
	if !read.tooSlow(&cfg) {
		t.Error("who sent 0.4 GiB/s where 1 is asked for is fast enough")
	}
	write := writeAccount{waited: 4 * int64(cfg.RateGrace), span: 3 * int64(cfg.RateGrace)}
	if !write.tooSlow(&cfg, new(transport.Conn), 6<<30) {
		t.Error("who took 0.4 GiB/s where 1 is asked for is fast enough")
	}
}
