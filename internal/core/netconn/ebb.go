package netconn

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// What a flood is, and when it is over.
const (
	floodSize = 1000             // so many connections active at once leave enough behind for a collection to be worth its cost
	ebbShare  = 8                // the flood ebbs when only the eighth part of them is active
	calm      = 10 * time.Second // and is over when it is so still after this time
)

// ebb has the memory of a flood of connections given back to the system when the flood is over. An idle process would keep
// it for minutes: what connections no longer need is garbage or lies in pools, and where nothing is allocated nothing is
// collected. See decision 12.
type ebb struct {
	heap heap
	high atomic.Int64 // the most connections that were active at once since the last flood was over
	due  atomic.Bool  // over will be called
}

// heap is the memory of the process.
type heap interface {
	// Collections returns how often the heap has been collected, and whether the program wants it to be.
	Collections() (n uint64, wanted bool)

	// GiveBack collects the heap twice, as often as pools need to be emptied, and gives what is free to the system.
	GiveBack()
}

// begins notes that one connection fewer is active, and reports whether the flood ebbs: over is to be called after calm.
func (b *ebb) begins(active int64) bool {
	high := b.high.Load()
	for ; active >= high; high = b.high.Load() { // before, there was one more
		b.high.CompareAndSwap(high, active+1)
	}
	return high >= floodSize && active <= high/ebbShare && b.due.CompareAndSwap(false, true)
}

// over gives memory back if the flood is over. collected is how often the heap had been collected when the flood began to ebb.
func (b *ebb) over(active int64, collected uint64) {
	b.due.Store(false)
	if active > b.high.Load()/ebbShare {
		return // it comes again
	}
	b.high.Store(active)
	if n, wanted := b.heap.Collections(); wanted && n < collected+2 {
		b.heap.GiveBack()
	}
}

// left is called when a connection is active no more: it has parked or ended.
func (e *core) left() {
	if !e.ebb.begins(e.stats.active()) {
		return
	}
	collected, _ := e.ebb.heap.Collections()
	e.clock.AfterFunc(calm, func() { e.ebb.over(e.stats.active(), collected) })
}

// processHeap is the heap of this process.
type processHeap struct{}

func (processHeap) Collections() (n uint64, wanted bool) {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64() <= math.MaxInt32 // GOGC=off is -1 there
}

func (processHeap) GiveBack() {
	runtime.GC()
	debug.FreeOSMemory() // the second collection
}
