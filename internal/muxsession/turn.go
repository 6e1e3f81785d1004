package muxsession

// Class says whose messages go first.
type Class int8

// The classes.
const (
	Urgent Class = iota
	Normal
	Background
	classes
)

// turn is the order in which channels that have something to send may put a piece of it into the outbox. What is left of a
// message is small or large. Small ones go first, but for a piece of a large one now and then; so a small message waits for
// other small ones and for few pieces of large ones, however many of those there are.
type turn struct {
	lists  [classes]struct{ small, large list }
	passed int // bytes of small messages since a large one had a turn
	missed int // pieces since a lower class had a turn
}

// list is a queue of channels. It is a ring: behind the last comes the first.
type list struct{ last *Channel }

func (l *list) empty() bool { return l.last == nil }

func (l *list) push(c *Channel) {
	if c.out.next = c; l.last != nil {
		c.out.next, l.last.out.next = l.last.out.next, c
	}
	l.last = c
}

func (l *list) pop() *Channel {
	c := l.last.out.next
	if l.last.out.next = c.out.next; c == l.last {
		l.last = nil
	}
	c.out.next = nil
	return c
}

const (
	smallMost = 16 << 10 // bytes of a message that is small
	passMost  = 64 << 10 // bytes of small messages for one piece of a large one
	missMost  = 15       // pieces of a higher class for one of a lower
)

// empty reports whether no channel is in a queue.
func (t *turn) empty() bool {
	for k := range t.lists {
		if !t.lists[k].small.empty() || !t.lists[k].large.empty() {
			return false
		}
	}
	return true
}

// enter puts a channel at the end of its queue, unless it is in one.
func (t *turn) enter(c *Channel) {
	if c.out.inTurn {
		return
	}
	c.out.inTurn = true
	l := &t.lists[c.out.class]
	if p := c.out.first; p != nil && len(p.P)-p.off > smallMost {
		l.large.push(c)
	} else {
		l.small.push(c)
	}
}

// next takes the channel whose turn it is out of its queue; nil if there is none.
func (t *turn) next() *Channel {
	highest := -1
	for k := range t.lists {
		l := &t.lists[k]
		if l.small.empty() && l.large.empty() {
			continue
		}
		if highest < 0 {
			highest = k
			if t.missed < missMost {
				break
			}
			continue
		}
		highest = k // a lower one has waited for long
		break
	}
	if highest < 0 {
		return nil
	}
	if t.missed++; t.missed > missMost {
		t.missed = 0
	}
	l := &t.lists[highest]
	var c *Channel
	if l.small.empty() || !l.large.empty() && t.passed >= passMost {
		t.passed = 0
		c = l.large.pop()
	} else {
		c = l.small.pop()
	}
	c.out.inTurn = false
	return c
}
