// Package ebb gives the memory of a flood of connections back to the system when the flood is over. An idle process would keep
// it for minutes: what connections no longer need is garbage or lies in pools, and where nothing is allocated nothing is
// collected. See decision 12.
package ebb

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// What a flood is, and when it is over.
const (
	FloodSize = 1000             // so many connections active at once leave enough behind for a collection to be worth its cost
	ebbShare  = 8                // the flood ebbs when only the eighth part of them is active
	Calm      = 10 * time.Second // and is over when it is so still after this time
)

// Ebb follows how many connections are active. The zero Ebb is ready for use. All methods may be called concurrently.
type Ebb struct {
	Heap Heap         // nil: the heap of this process; set before the first use
	High atomic.Int64 // the most connections that were active at once since the last flood was over
	Due  atomic.Bool  // end will be called
}

// Heap is the memory of the process.
type Heap interface {
	// Collections returns how often the heap has been collected, and whether the program wants it to be.
	Collections() (n uint64, wanted bool)

	// GiveBack collects the heap twice, because pools are empty only after the second collection, and gives what is free
	// to the system.
	GiveBack()
}

// Left is called when a connection is no longer active. active returns how many are. If the flood ebbs, k calls back after
// Calm, and memory is given back if the flood is over then.
func (b *Ebb) Left(k *clock.Clock, active func() int64) {
	if !b.begins(active()) {
		return
	}
	collected, _ := b.heap().Collections()
	k.AfterFunc(Calm, func() { b.end(active(), collected) })
}

// begins notes that one connection fewer is active, and reports whether the flood ebbs: end is to be called after Calm.
func (b *Ebb) begins(active int64) bool {
	high := b.High.Load()
	for ; active >= high; high = b.High.Load() { // before, there was one more
		b.High.CompareAndSwap(high, active+1)
	}
	return high >= FloodSize && active <= high/ebbShare && b.Due.CompareAndSwap(false, true)
}

// end gives memory back if the flood is over. collected is how often the heap had been collected when the flood began to ebb.
func (b *Ebb) end(active int64, collected uint64) {
	b.Due.Store(false)
	if active > b.High.Load()/ebbShare {
		return // it comes again
	}
	b.High.Store(active)
	if n, wanted := b.heap().Collections(); wanted && n < collected+2 {
		b.heap().GiveBack()
	}
}

func (b *Ebb) heap() Heap {
	if b.Heap == nil {
		return processHeap{}
	}
	return b.Heap
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
