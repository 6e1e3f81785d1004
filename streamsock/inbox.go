package streamsock

import (
	"context"
	"sync"
	"time"
)

// inbox holds the messages that were received and not yet taken by Recv. Peers with messages form a circular list and take
// turns of turnMessages messages, so a peer that floods does not delay others. A connection that brings more than there is
// room for has to wait, which slows down its peer.
type inbox struct {
	mu          sync.Mutex
	room        sync.Cond     // connections wait here for room
	wake        chan struct{} // wakes a waiting Recv: there is a message, or the inbox is closed
	waiting     int           // number of goroutines in Recv that wait
	head        *peerInbox    // the peer whose turn it is
	tail        *peerInbox    // the last peer of the list
	held        int64         // cost of the messages
	partial     int64         // bytes of incomplete messages
	mayComplete *peerInbox    // may complete its message although there is no room; otherwise all peers could block each other
	closed      bool

	most, mostPerPeer int64 // limit of held and partial together, and of one peer's part of held
}

// peerInbox holds what was received from one peer. inbox.mu guards it.
type peerInbox struct {
	first, last *batch
	at          int // index of the next message in first
	bytes       int64
	partial     int64 // bytes of an incomplete message
	next        *peerInbox
	queued      bool // in the list
	discarding  bool // what its connection brings is dropped
}

// batch is a list of messages that were received together.
type batch struct {
	msgs  []Message
	bytes int64 // their cost
	next  *batch
}

var batches = sync.Pool{New: func() any { return new(batch) }}

func (b *batch) free() {
	clear(b.msgs)
	b.msgs, b.bytes, b.next = b.msgs[:0], 0, nil
	batches.Put(b)
}

// turnMessages is how many messages of a peer are taken in one turn.
const turnMessages = 256

func newInbox(most, each int64) *inbox {
	in := &inbox{wake: make(chan struct{}, 1), most: most, mostPerPeer: each}
	in.room.L = &in.mu
	return in
}

// crowdedLocked reports whether b has to wait for room.
func (in *inbox) crowdedLocked(a *peerInbox, b *batch) bool {
	return b.bytes > 0 && !in.closed && !a.discarding &&
		(a.bytes > 0 && a.bytes+b.bytes > in.mostPerPeer || in.held > 0 && in.held+in.partial+b.bytes > in.most)
}

// setPartial updates the size of a peer's incomplete message; 0 means that it is complete or was dropped. It reports false
// if there is no room for more: then the caller must call awaitPartialRoom.
func (in *inbox) setPartial(a *peerInbox, bytes int64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.partial += bytes - a.partial
	if a.partial = bytes; bytes == 0 {
		if in.mayComplete == a {
			in.mayComplete = nil
		}
		in.room.Broadcast()
		return true
	}
	return !in.overfullLocked(a)
}

// overfullLocked reports whether a has to wait with the rest of its message.
func (in *inbox) overfullLocked(a *peerInbox) bool {
	if in.closed || a.discarding || in.held+in.partial <= in.most || in.mayComplete == a {
		return false
	}
	if in.mayComplete == nil {
		in.mayComplete = a
		return false
	}
	return true
}

// completeTime is how long the message of one peer may keep the incomplete messages of all others waiting for room.
const completeTime = 2 * time.Minute

// leastRate returns the bytes a second that a's incomplete message must bring: leastRate or, while others wait for the room
// that it holds, a share of that. Otherwise a few peers could fill the room and send almost nothing for hours.
func (in *inbox) leastRate(a *peerInbox) int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.mayComplete != a || in.held+in.partial <= in.most {
		return leastRate
	}
	return max(leastRate, a.partial/int64(completeTime/time.Second))
}

// awaitPartialRoom waits until a may continue its message.
func (in *inbox) awaitPartialRoom(a *peerInbox) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.overfullLocked(a) {
		in.room.Wait()
	}
}

// add adds messages of a peer, and waits until there is room for them; events never wait. pauseForUser is called before a
// wait, and the function it returns afterwards. It reports false if the messages were dropped because they are not wanted
// any more.
func (in *inbox) add(a *peerInbox, b *batch, pauseForUser func() (goOn func())) bool {
	in.mu.Lock()
	if !in.crowdedLocked(a, b) {
		defer in.mu.Unlock()
		return in.putLocked(a, b)
	}
	in.mu.Unlock()
	defer pauseForUser()()
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.crowdedLocked(a, b) {
		in.room.Wait()
	}
	return in.putLocked(a, b)
}

// putLocked is add when there is room.
func (in *inbox) putLocked(a *peerInbox, b *batch) bool {
	if in.closed || a.discarding && b.bytes > 0 {
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

// enqueue puts a at the end of the list.
func (in *inbox) enqueue(a *peerInbox) {
	a.queued, a.next = true, nil
	if in.tail == nil {
		in.head = a
	} else {
		in.tail.next = a
	}
	in.tail = a
}

// signal wakes one waiting Recv.
func (in *inbox) signal() {
	if in.waiting == 0 {
		return
	}
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// startDiscarding drops what a's connection brings from now on, without waiting.
func (in *inbox) startDiscarding(a *peerInbox) {
	in.mu.Lock()
	a.discarding = true
	in.room.Broadcast()
	in.mu.Unlock()
}

// stopDiscarding ends startDiscarding, for the next connection.
func (in *inbox) stopDiscarding(a *peerInbox) {
	in.mu.Lock()
	a.discarding = false
	in.mu.Unlock()
}

// take fills dst with messages that are there, and waits if there are none.
func (in *inbox) take(ctx context.Context, dst []Message) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	in.mu.Lock()
	for in.head == nil {
		if in.closed {
			in.signal() // wake the next waiting Recv
			in.mu.Unlock()
			return 0, ErrClosed
		}
		if err := in.waitLocked(ctx); err != nil {
			in.mu.Unlock()
			return 0, err
		}
	}
	for n < len(dst) && in.head != nil {
		n += in.takeTurn(dst[n:])
	}
	if in.head != nil {
		in.signal()
	}
	in.mu.Unlock()
	return n, nil
}

// waitLocked waits for a message. It releases in.mu meanwhile.
func (in *inbox) waitLocked(ctx context.Context) (err error) {
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
		in.signal() // the signal may have been meant for this goroutine: pass it on
	}
	return err
}

// takeTurn takes messages of the peer whose turn it is. It ends the turn after turnMessages.
func (in *inbox) takeTurn(dst []Message) (n int) {
	a := in.head
	b := a.first
	n = copy(dst[:min(len(dst), turnMessages-a.at%turnMessages)], b.msgs[a.at:])
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
	} else if a.at%turnMessages != 0 {
		return n // the turn is not over
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

// close wakes all waiting goroutines and drops what comes later.
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
