package netconn

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// A connection whose peer never lets it wait gives way once for so many receives, and only if they left no space.
func TestFloodsGiveWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var turns, over atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for over.Load() == 0 {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	var f flood
	for range 10 * floodYieldEvery {
		f.yieldIfFlooded(16, 16)
	}
	if n := turns.Load(); n < 5 {
		t.Errorf("others had %d turns in %d receives", n, 10*floodYieldEvery)
	}
	for range floodYieldEvery - 1 {
		f.yieldIfFlooded(16, 16)
	}
	if f.yieldIfFlooded(15, 16); f != 0 {
		t.Error("a receive that did not fill its space was counted")
	}
	over.Store(1)
	<-ended
}
