package streamsock

import (
	"context"
	"sync"
)

// inbox is what has been received and nobody has taken. Peers that have something stand in a ring and are served in turn,
// share by share, so that one who floods is no reason for others to wait. Who brings more than there is room for waits,
// which slows its peer.
type inbox struct {
	mu       sync.Mutex
	room     sync.Cond     // of those who bring
	wake     chan struct{} // of those who take: something is there, or closed
	waiting  int           // of those
	head     *arrivals     // the ring: whose turn it is, and
	tail     *arrivals     // who comes last
	held     int64         // what waits to be taken costs so many bytes
	partial  int64         // bytes of messages that are not whole
	favoured *arrivals     // whose message may be completed although there is no room: else nobody's might
	closed   bool

	most, each int64 // bounds of held and partial, and of one peer's part of held
}

// arrivals are what one peer has brought; inbox.mu guards them.
type arrivals struct {
	first, last *batch
	at          int // of first: the next message
	bytes       int64
	partial     int64 // of the message that is not whole
	next        *arrivals
	queued      bool // in the ring
	deaf        bool // what its connection brings is not wanted any more
}

// batch is what has arrived together.
type batch struct {
	msgs  []Message
	bytes int64 // what they cost
	next  *batch
}

var batches = sync.Pool{New: func() any { return new(batch) }}

func (b *batch) free() {
	clear(b.msgs)
	b.msgs, b.bytes, b.next = b.msgs[:0], 0, nil
	batches.Put(b)
}

// share is how many messages of a peer are taken in one turn.
const share = 256

func newInbox(most, each int64) *inbox {
	in := &inbox{wake: make(chan struct{}, 1), most: most, each: each}
	in.room.L = &in.mu
	return in
}

// crowded reports whether a batch of a peer's has to wait. in.mu is held.
func (in *inbox) crowded(a *arrivals, b *batch) bool {
	return b.bytes > 0 && !in.closed && !a.deaf &&
		(a.bytes > 0 && a.bytes+b.bytes > in.each || in.held > 0 && in.held+in.partial+b.bytes > in.most)
}

// grow says that a message of a peer which is not whole has so many bytes now, 0 when it is whole or given up. It reports
// false when there is no room for more: then settle waits until there is.
func (in *inbox) grow(a *arrivals, bytes int64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.partial += bytes - a.partial
	if a.partial = bytes; bytes == 0 {
		if in.favoured == a {
			in.favoured = nil
		}
		in.room.Broadcast()
		return true
	}
	return !in.overfull(a)
}

// overfull reports whether a has to wait with the rest of its message. in.mu is held.
func (in *inbox) overfull(a *arrivals) bool {
	if in.closed || a.deaf || in.held+in.partial <= in.most || in.favoured == a {
		return false
	}
	if in.favoured == nil {
		in.favoured = a
		return false
	}
	return true
}

// settle waits until a may go on with its message.
func (in *inbox) settle(a *arrivals) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.overfull(a) {
		in.room.Wait()
	}
}

// bring hands over what has arrived from a peer, and waits until there is room for it; an event never waits. pauses is called
// before a wait, and what it returns afterwards. It reports false, with b given back, when nobody wants it any more.
func (in *inbox) bring(a *arrivals, b *batch, pauses func() (goOn func())) bool {
	in.mu.Lock()
	if !in.crowded(a, b) {
		defer in.mu.Unlock()
		return in.put(a, b)
	}
	in.mu.Unlock()
	defer pauses()()
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.crowded(a, b) {
		in.room.Wait()
	}
	return in.put(a, b)
}

// put is bring where there is room. in.mu is held.
func (in *inbox) put(a *arrivals, b *batch) bool {
	if in.closed || a.deaf && b.bytes > 0 {
		for i := range b.msgs {
			b.msgs[i].Release()
		}
		b.free()
		return false
	}
	if a.first == nil {
		a.first = b
	} else {
		a.last.next = b
	}
	a.last = b
	a.bytes += b.bytes
	in.held += b.bytes
	if !a.queued {
		in.enqueue(a)
	}
	in.signal()
	return true
}

// enqueue puts a at the end of the ring.
func (in *inbox) enqueue(a *arrivals) {
	a.queued, a.next = true, nil
	if in.tail == nil {
		in.head = a
	} else {
		in.tail.next = a
	}
	in.tail = a
}

// signal wakes one who takes.
func (in *inbox) signal() {
	if in.waiting == 0 {
		return
	}
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// hush has what a's connection brings from now on be dropped, and who brings it not wait.
func (in *inbox) hush(a *arrivals) {
	in.mu.Lock()
	a.deaf = true
	in.room.Broadcast()
	in.mu.Unlock()
}

// hear ends hush, for the next connection.
func (in *inbox) hear(a *arrivals) {
	in.mu.Lock()
	a.deaf = false
	in.mu.Unlock()
}

// take fills dst with what is there, and waits if that is nothing.
func (in *inbox) take(ctx context.Context, dst []Message) (n int, err error) {
	in.mu.Lock()
	for in.head == nil {
		if in.closed {
			in.signal() // the next one who waits
			in.mu.Unlock()
			return 0, ErrClosed
		}
		if err := in.wait(ctx); err != nil {
			in.mu.Unlock()
			return 0, err
		}
	}
	for n < len(dst) && in.head != nil {
		n += in.turn(dst[n:])
	}
	if in.head != nil {
		in.signal()
	}
	in.mu.Unlock()
	return n, nil
}

// wait waits for something to come. in.mu is held, and given back meanwhile.
func (in *inbox) wait(ctx context.Context) (err error) {
	in.waiting++
	in.mu.Unlock()
	select {
	case <-in.wake:
	case <-ctx.Done():
		err = ctx.Err()
	}
	in.mu.Lock()
	in.waiting--
	if err != nil && in.head != nil {
		in.signal() // the signal may have been meant for who goes away
	}
	return err
}

// turn takes messages of the peer whose turn it is, and gives the turn on when it has had its share.
func (in *inbox) turn(dst []Message) (n int) {
	a := in.head
	b := a.first
	n = copy(dst[:min(len(dst), share-a.at%share)], b.msgs[a.at:])
	var bytes int64
	for i := range dst[:n] {
		bytes += dst[i].cost()
	}
	clear(b.msgs[a.at : a.at+n])
	a.at += n
	a.bytes -= bytes
	in.held -= bytes
	if a.at == len(b.msgs) {
		if a.first = b.next; a.first == nil {
			a.last = nil
		}
		a.at = 0
		b.free()
	} else if a.at%share != 0 {
		return n // the share is not used up
	}
	if in.head = a.next; in.head == nil {
		in.tail = nil
	}
	a.queued = false
	if a.first != nil {
		in.enqueue(a)
	}
	in.room.Broadcast()
	return n
}

// close has everybody go.
func (in *inbox) close() {
	in.mu.Lock()
	in.closed = true
	in.room.Broadcast()
	in.mu.Unlock()
	select {
	case in.wake <- struct{}{}:
	default:
	}
}
