package backlog

import (
	"net"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Line is the line of items that wait for room in a connection's output queue: messages for a slow peer, turns of
// goroutines whose writes must come after those, and at the end the last frame.
//
//	standing ──the first item──► moving ──the last item has left, all turns are over──► standing
//
// While it is moving, its owner calls Move whenever the queue has room again and whenever a turn is over. The owner's lock,
// which was passed to New, guards a Line: it is held for all calls.
type Line struct {
	limits   *Limits
	items    []Item
	moving   bool
	ending   bool // the last frame is in line or has left it: nothing more is accepted
	messages int  // number of messages in line
	bytes    int64
	dropped  int64
	room     sync.Cond
	err      error // why nothing can be sent any more
}

// New returns an empty Line that is guarded by mu.
func New(mu sync.Locker, limits *Limits) *Line {
	return &Line{limits: limits, room: sync.Cond{L: mu}}
}

// Moving reports whether Move is to be called. l may be nil.
func (l *Line) Moving() bool { return l != nil && l.moving }

// Ending reports whether the last frame is in line or has left it. l may be nil.
func (l *Line) Ending() bool { return l != nil && l.ending }

// Len returns the number of items.
func (l *Line) Len() int { return len(l.items) }

// Waiting returns the number of messages that wait, and the bytes of their frames. l may be nil.
func (l *Line) Waiting() (messages int, bytes int64) {
	if l == nil {
		return 0, 0
	}
	return l.messages, l.bytes
}

// Dropped returns the number of messages that were dropped. l may be nil.
func (l *Line) Dropped() int64 {
	if l == nil {
		return 0
	}
	return l.dropped
}

// Err returns the reason why nothing more is accepted, or nil. l may be nil. It is net.ErrClosed if the last frame is in
// line.
func (l *Line) Err() error {
	switch {
	case l == nil:
		return nil
	case l.err != nil:
		return l.err
	case l.ending:
		return net.ErrClosed
	}
	return nil
}

// Add takes over the message p and puts it into line, as the Policy says. With Block and without wait, it fails with
// ErrDropped instead of waiting. The lock is released while it waits for room. If it fails, p still belongs to the caller.
func (l *Line) Add(p Item, wait bool) error {
	if err := l.Err(); err != nil {
		return err
	}
	freed := 0
	if l.limits.Policy == LatestPerKey && p.Key != "" {
		if i := slices.IndexFunc(l.items, func(q Item) bool { return q.Key == p.Key }); i >= 0 {
			if l.replace(i, &p) {
				return nil
			}
			freed = p.freedBy(&l.items[i])
			l.drop(i)
		}
	}
	for l.full(&p, freed) {
		switch l.limits.Policy {
		case Block:
			if !wait {
				l.dropped++
				return ErrDropped
			}
			l.room.Wait()
			if err := l.Err(); err != nil {
				return err
			}
		case Refuse:
			l.dropped++
			return ErrSlow
		default:
			i := slices.IndexFunc(l.items, func(q Item) bool { return q.kind == message })
			freed += p.freedBy(&l.items[i])
			l.drop(i)
		}
	}
	l.append(p)
	return nil
}

// full reports whether the line has no room for p. There is always room for one message. freed is the size of the
// messages dropped for p: if only memory is short, p may take their place.
func (l *Line) full(p *Item, freed int) bool {
	size := p.Size()
	return l.messages > 0 && (l.messages >= l.limits.Messages || l.bytes+int64(size) > l.limits.Bytes ||
		freed < size && !p.fits(l.limits.Memory))
}

// replace puts p in the place of the message at i, and reports whether there is room for it.
func (l *Line) replace(i int, p *Item) bool {
	old := l.items[i]
	l.uncount(&old)
	if l.full(p, p.freedBy(&old)) {
		l.count(&old)
		return false
	}
	old.Release()
	p.shrink()
	l.count(p)
	l.items[i] = *p
	l.dropped++
	return true
}

// AddTurn puts a turn into line and returns a channel that is closed when it has come. Then, after whatever the caller
// writes, Move is to be called.
func (l *Line) AddTurn() chan struct{} {
	t := make(chan struct{})
	l.append(Item{kind: turn, turn: t})
	return t
}

// GiveUpTurn takes a turn out of line. It returns false if the turn has come already.
func (l *Line) GiveUpTurn(t chan struct{}) bool {
	i := slices.IndexFunc(l.items, func(p Item) bool { return p.turn == t })
	if i >= 0 {
		l.take(i)
	}
	return i >= 0
}

// AddLast puts the last frame into line, a buffer from the pool that it takes over. Nothing is accepted after it.
func (l *Line) AddLast(frame []byte) {
	l.ending = true
	l.room.Broadcast()
	l.append(Item{Frame: frame, kind: last})
}

// Close drops everything in line and accepts nothing more, because the last frame is sent past it. It returns the last
// frame that was in line, a buffer from the pool, or nil.
func (l *Line) Close() (last []byte) {
	l.ending = true
	return l.Clear()
}

// Fail drops everything in line and accepts nothing more because of err. The first reason stays.
func (l *Line) Fail(err error) {
	if l.err == nil {
		l.err = err
	}
	bufpool.Put(l.Clear())
}

func (l *Line) append(p Item) {
	if p.kind == message {
		p.shrink()
		l.count(&p)
	}
	l.items = append(l.items, p)
	l.moving = true
}

// count adds a message that enters the line to the counters.
func (l *Line) count(p *Item) {
	l.messages++
	l.bytes += int64(p.Size())
	p.charge(l.limits.Memory)
}

// uncount undoes count when the message leaves the line.
func (l *Line) uncount(p *Item) {
	l.messages--
	l.bytes -= int64(p.Size())
	p.discharge(l.limits.Memory)
}

// take removes the item at i.
func (l *Line) take(i int) Item {
	p := l.items[i]
	l.items = slices.Delete(l.items, i, i+1)
	if p.kind == message {
		l.uncount(&p)
		l.room.Signal()
	}
	return p
}

// drop removes the message at i and counts it as dropped.
func (l *Line) drop(i int) {
	p := l.take(i)
	p.Release()
	l.dropped++
}

// Clear drops all messages, ends all turns, and returns the last frame if it was in line, a buffer from the pool.
func (l *Line) Clear() (frame []byte) {
	for len(l.items) > 0 {
		switch p := &l.items[0]; p.kind {
		case message:
			l.drop(0)
			continue
		case turn:
			close(p.turn)
		case last:
			frame = p.Frame
		}
		l.take(0)
	}
	l.room.Broadcast()
	return frame
}
