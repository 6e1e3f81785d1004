package drive

import (
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Slot is the place of one connection in the run. Its lock, which it shares with the slots of its shard, guards it and its
// connection's requests: it is held while the methods are called that do not say otherwise.
//
//	queued ─► opening ─► open ─► ended ─┐
//	  ▲  ▲                 │            │ orderly: at once
//	  │  └── failed        └── over     │ with an error: after a pause
//	  └─────────────────────────────────┘
type Slot struct {
	*shard // fields used for every response come first
	state  *state
	number int
	next   int64 // number of the next request in the slot's schedule
	turn   int   // index of the request to send next
	useful bool  // a response arrived on the connection
	conn   Conn  // nil if there is none

	queue        chan<- *Slot  // where slots wait for a connection
	failingSince int64         // time of the first failed attempt since the last successful one; 0: none
	everOpen     bool          // the slot had a connection
	givenUp      bool          // the slot was given up for now
	pause        time.Duration // before the next attempt
}

func newSlots(st *state, shards []*shard, queue chan<- *Slot) (all []*Slot) {
	for i := range st.plan.Conns {
		s := &Slot{shard: shards[i%len(shards)], state: st, number: i, queue: queue}
		if st.plan.URLs > 1 {
			s.turn = i % st.turns.All // start with different URLs
		}
		all = append(all, s)
	}
	return all
}

// Lock locks the slot and all others of its shard.
func (s *Slot) Lock() { s.mu.Lock() }

// Unlock undoes Lock.
func (s *Slot) Unlock() { s.mu.Unlock() }

// Shard returns the number of the slot's lock, below MostShards: what a driver keeps for each number is guarded by that lock.
// It may be called without the lock.
func (s *Slot) Shard() int { return s.index }

// Now returns the time, in nanoseconds since the run was made; it is never 0. It may be called without the lock.
func (s *Slot) Now() int64 { return s.state.now() }

// Timeout is the time for connecting, and for each response. It may be called without the lock.
func (s *Slot) Timeout() time.Duration { return s.state.plan.Timeout }

// Scheduled reports whether requests have due times. It may be called without the lock.
func (s *Slot) Scheduled() bool { return s.state.plan.Rate > 0 }

// Go runs f on a goroutine that the run waits for in the end. It may be called without the lock.
func (s *Slot) Go(f func()) { s.state.working.Go(f) }

// Note records how long a part of connecting has taken. It may be called without the lock.
func (s *Slot) Note(part account.Part, d time.Duration) { s.state.connecting.Note(part, d) }

// Over reports whether the run is over: nothing is counted or sent any more.
func (s *Slot) Over() bool { return s.over }

// Ending reports whether a one-way connection must end its sending direction.
func (s *Slot) Ending() bool { return s.ending }

// Useful reports whether the connection has brought a response that was right.
func (s *Slot) Useful() bool { return s.useful }
