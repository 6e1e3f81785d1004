package drive

import (
	"runtime"
	"sync"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// shard holds the counts of a group of slots under one lock. A connection takes the lock once for all responses that it
// has received, so counting a response costs no lock and no atomic operation of its own.
type shard struct {
	index    int
	mu       sync.Mutex
	inFlight int64 // sent and not answered
	over     bool  // the run is over: nothing is counted or sent
	ending   bool  // one way: nothing more is sent, and connections end
	now      *account.Tally
	spare    *account.Tally
}

func newShards(plan *Plan) []*shard {
	all := make([]*shard, min(plan.Conns, MostShards()))
	for i := range all {
		all[i] = &shard{index: i, now: account.NewTally(plan.URLs), spare: account.NewTally(plan.URLs)}
	}
	return all
}

// MostShards returns the number of locks that the slots of a run have at most: see Slot.Shard.
func MostShards() int { return min(4*runtime.GOMAXPROCS(0), 64) }

// take returns the counts since the last call; they are valid until the next call. It also returns the number of
// requests in flight. last says that the run is over.
func (sh *shard) take(last bool) (t *account.Tally, inFlight int64) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	t = sh.now
	sh.now, sh.spare = sh.spare, t
	sh.now.Reset()
	sh.over = sh.over || last
	return t, sh.inFlight
}

// stop says that the run is over.
func (sh *shard) stop() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.over = true
}
