package clock

import "time"

func (k *Clock) run() {
	timer := time.NewTimer(Tick)
	defer timer.Stop()
	k.idleTicks = 0
	k.expectFromNow(Tick)
	k.await(timer, nil) // the goroutine is started for the next tick, not for now
	for {
		k.set(time.Now())
		k.mode.CompareAndSwap(asleep, unasked) // only now: a goroutine that finds it unasked trusts the time
		next := k.expire()
		if k.mode.CompareAndSwap(asked, unasked) {
			k.idleTicks = 0
		} else {
			k.idleTicks++
		}
		switch {
		case k.idleTicks < maxIdleTicks && k.mode.Load() != ended:
			timer.Reset(Tick)
			k.expect(Tick)
			k.await(timer, nil)
		case k.mode.CompareAndSwap(unasked, asleep):
			k.idleTicks = 0
			if next == 0 && k.mayStop() {
				return
			}
			k.sleep(timer, next)
			k.set(time.Now())
			k.mode.CompareAndSwap(asleep, unasked)
		case k.mode.Load() == ended:
			k.mu.Lock()
			k.alive = false
			k.nextTick.Store(noTick)
			k.mu.Unlock()
			return
		}
	}
}

// mayStop reports whether the goroutine may end: there is no deadline, and no wake since the clock fell asleep.
func (k *Clock) mayStop() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.due) > 0 || len(k.atTick) > 0 || len(k.wake) > 0 {
		return false
	}
	k.alive = false
	k.nextTick.Store(noTick)
	return true
}

// sleep waits for the deadline next (0: none), a call of wakeLoopLocked, or lost time.
func (k *Clock) sleep(timer *time.Timer, next Moment) {
	for ended := false; !ended; {
		d := time.Hour
		if next > 0 {
			d = max(time.Duration(next-k.now.Load()), 0)
			d = min(d, max(d/4, shortestNap), longestNap)
		}
		timer.Reset(d)
		k.expect(d)
		if k.await(timer, k.wake) {
			timer.Reset(Tick) // the wake-up was for the next tick
			k.expectFromNow(Tick)
			k.await(timer, nil)
			return
		}
		k.set(time.Now())
		ended = next == 0 || k.now.Load() >= next || k.hasLost.Load() || k.mode.Load() != asleep
	}
}

// await waits for timer, wake (which it reports), StopIfIdle or Finish.
func (k *Clock) await(timer *time.Timer, wake <-chan struct{}) (woken bool) {
	select {
	case <-timer.C:
	case <-wake:
		return true
	case <-k.stopIdle:
		k.mode.CompareAndSwap(asked, unasked)
		k.idleTicks = maxIdleTicks // as if the time had not been read for long
	case <-k.stop:
	}
	return false
}
