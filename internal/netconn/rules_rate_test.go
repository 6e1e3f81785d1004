package netconn

import "testing"

// TestRatesOfFastTransfers: the accounts of the minimum rates do not overflow. The faster a peer is, the more bytes
// stand in a span; as nanoseconds times bytes they pass 63 bits at some GiB, and the fastest would be the slow ones.
func TestRatesOfFastTransfers(t *testing.T) {
	cfg := Config{}.withDefaults()
	for _, bytes := range []int64{1 << 20, 9 << 30, 10 << 30, 100 << 30, 1 << 50} {
		read := readAccount{waited: int64(cfg.RateGrace), bytes: bytes}
		if read.tooSlow(&cfg) {
			t.Errorf("who sent %d bytes within %v is too slow", bytes, cfg.RateGrace)
		}
		write := writeAccount{waited: 4 * int64(cfg.RateGrace), marked: true, accepted: bytes}
		if write.tooSlow(&cfg, func() int { return 0 }) {
			t.Errorf("who took %d bytes within %v is too slow", bytes, 3*cfg.RateGrace)
		}
	}
	cfg.MinReadRate, cfg.MinWriteRate = 4<<30, 4<<30
	read := readAccount{waited: int64(cfg.RateGrace), bytes: 10 << 30}
	if !read.tooSlow(&cfg) {
		t.Error("who sent 2 GiB/s where 4 are asked for is fast enough")
	}
	write := writeAccount{waited: 4 * int64(cfg.RateGrace), marked: true, accepted: 30 << 30}
	if !write.tooSlow(&cfg, func() int { return 0 }) {
		t.Error("who took 2 GiB/s where 4 are asked for is fast enough")
	}
}
