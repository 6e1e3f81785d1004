package muxsession

// scheduler decides which channel puts a piece of its message into the outbox next. A message counts as small or large by
// what is left of it. Small ones go first, but every smallBurst bytes one piece of a large one is let in. So a small message
// waits for other small ones and for few pieces of large ones, however many those are.
type scheduler struct {
	lists        [classes]struct{ small, large list }
	smallBytes   int // bytes of small messages since the last piece of a large one
	higherPieces int // pieces since a lower class had its turn
}

// list is a queue of channels. It is a circular list: last.next is the first.
type list struct{ last *Channel }

func (l *list) empty() bool { return l.last == nil }

func (l *list) push(c *Channel) {
	if c.next = c; l.last != nil {
		c.next, l.last.next = l.last.next, c
	}
	l.last = c
}

func (l *list) pop() *Channel {
	c := l.last.next
	if l.last.next = c.next; c == l.last {
		l.last = nil
	}
	c.next = nil
	return c
}

const (
	maxSmall    = 16 << 10 // the most bytes of a small message
	smallBurst  = 64 << 10 // bytes of small messages for one piece of a large one
	higherBurst = 15       // pieces of a higher class for one of a lower
)

// empty reports whether all queues are empty.
func (t *scheduler) empty() bool {
	for k := range t.lists {
		if !t.lists[k].small.empty() || !t.lists[k].large.empty() {
			return false
		}
	}
	return true
}

// add appends a channel to its queue, unless it is in one or starves.
func (t *scheduler) add(c *Channel) {
	if c.out.queued || c.out.starving != 0 {
		return
	}
	c.out.queued = true
	l := &t.lists[c.out.class]
	if p := c.out.first; p != nil && p.left() > maxSmall {
		l.large.push(c)
	} else {
		l.small.push(c)
	}
}

// next removes and returns the channel whose turn it is, nil if there is none.
func (t *scheduler) next() *Channel {
	chosen := -1
	for k := range t.lists {
		l := &t.lists[k]
		if l.small.empty() && l.large.empty() {
			continue
		}
		if chosen < 0 {
			chosen = k
			if t.higherPieces < higherBurst {
				break
			}
			continue
		}
		chosen = k // a lower class has waited long enough
		break
	}
	if chosen < 0 {
		return nil
	}
	if t.higherPieces++; t.higherPieces > higherBurst {
		t.higherPieces = 0
	}
	l := &t.lists[chosen]
	var c *Channel
	if l.small.empty() || !l.large.empty() && t.smallBytes >= smallBurst {
		t.smallBytes = 0
		c = l.large.pop()
	} else {
		c = l.small.pop()
	}
	c.out.queued = false
	return c
}

// turns are the channels of a session with waiting Sends.
type turns struct {
	sched        scheduler
	starving     lane // channels whose first Send waits for the session's window
	waitingSends int  // number of waiting Sends
}
