package clock

import "time"

// Alive reports whether the clock has a goroutine.
func (k *Clock) Alive() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alive
}

// Asleep reports whether the clock's goroutine waits for the next deadline, or has ended.
func (k *Clock) Asleep() bool { return k.mode.Load() == asleep }

// Armed returns how many holders are in the heap.
func (k *Clock) Armed() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.due)
}

// Age returns how long ago the time was set.
func (k *Clock) Age() time.Duration { return time.Since(k.base) - time.Duration(k.real.Load()) }
