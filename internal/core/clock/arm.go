package clock

import "container/heap"

// Arm makes sure that h.Expired is called no later than at; 0 is never. After Retire it does nothing.
func (k *Clock) Arm(h Holder, at Moment) {
	d := h.Deadline()
	if d.Covers(at) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.mode.Load() == ended {
		return
	}
	switch known := d.at.Load(); {
	case known == 0:
		d.at.Store(at)
		heap.Push(&k.due, h)
	case known <= at:
		return // another goroutine armed it meanwhile
	default:
		k.due[d.index].at = at
		d.at.Store(at)
		heap.Fix(&k.due, int(d.index))
	}
	if d.index == 0 && !k.manual {
		k.wakeLoopLocked()
	}
}

// Retire removes h from the heap for good: neither a later Arm nor what an Expired in progress returns has an effect.
func (k *Clock) Retire(h Holder) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.disarmLocked(h)
	h.Deadline().at.Store(retired)
}

// Disarm removes h from the heap, as Retire does, but h may be armed again.
func (k *Clock) Disarm(h Holder) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.disarmLocked(h)
}

// disarmLocked removes h from the heap.
func (k *Clock) disarmLocked(h Holder) {
	d := h.Deadline()
	if d.at.Load() <= 0 {
		return
	}
	heap.Remove(&k.due, int(d.index))
	if len(k.due) == 0 && !k.manual && k.mode.Load() != ended {
		k.wakeLoopLocked() // the goroutine sleeps for a deadline that no longer exists, and may end
	}
}

// wakeLoopLocked starts the goroutine or wakes it.
func (k *Clock) wakeLoopLocked() {
	if !k.alive {
		k.alive = true
		select {
		case <-k.stopIdle: // it was meant for the previous goroutine
		default:
		}
		go k.run()
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}
