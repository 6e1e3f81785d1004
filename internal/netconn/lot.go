package netconn

import (
	"os"
	"sync"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// lot is where idle connections wait without a goroutine: an epoll descriptor that itself waits in Go's poller. It
// also answers whether the peer of a busy connection has left.
//
// A connection is known there by the index of a place and the number of its tenants so far, never by its descriptor,
// whose number may belong to another connection by the time an event is read.
type lot struct {
	poll *sys.Poll
	file *os.File // owns poll's descriptor

	mu     sync.Mutex
	places []place
	free   []uint32
}

// place is a row of the lot.
type place struct {
	c      *Conn // nil while it is free
	tenant uint32
}

// slot is a connection's place in the lot; under Conn.mu.
type slot struct {
	index, tenant uint32
	held          bool
}

// key is what epoll gives back with an event.
func (s slot) key() uint64 { return uint64(s.tenant)<<32 | uint64(s.index) }

// openLot returns the engine's lot, nil where there can be none.
func (e *Engine) openLot() *lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lot != nil || !sys.Available {
		return e.lot
	}
	poll, err := sys.NewPoll()
	if err != nil {
		return nil
	}
	l := &lot{poll: poll, file: os.NewFile(uintptr(poll.FD()), "lot")}
	raw, err := l.file.SyscallConn()
	if err != nil {
		l.file.Close()
		return nil
	}
	e.lot = l
	go raw.Read(l.deliver)
	return l
}

// close ends the lot's goroutine.
func (l *lot) close() { l.file.Close() }

// deliver takes all events that are there. It returns false to wait for more.
func (l *lot) deliver(uintptr) bool {
	var events [64]sys.Event
	for {
		n, errno := l.poll.Wait(events[:], 0)
		if errno != 0 {
			return true
		}
		if n == 0 {
			return false
		}
		for i := range events[:n] {
			if c := l.tenant(events[i].Data()); c != nil {
				c.event(&events[i])
			}
		}
	}
}

// tenant returns the connection that key was given out for, nil if it has left.
func (l *lot) tenant(key uint64) *Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[uint32(key)]
	if p.tenant != uint32(key>>32) {
		return nil
	}
	return p.c
}

// enter gives c a place.
func (l *lot) enter(c *Conn) slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	var i uint32
	if k := len(l.free); k > 0 {
		i = l.free[k-1]
		l.free = l.free[:k-1]
	} else {
		i = uint32(len(l.places))
		l.places = append(l.places, place{})
	}
	p := &l.places[i]
	p.c = c
	return slot{index: i, tenant: p.tenant, held: true}
}

// leave frees the place s.
func (l *lot) leave(s slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[s.index]
	p.c = nil
	p.tenant++
	l.free = append(l.free, s.index)
}

// arm has the lot tell the next of the events given, once. It reports false where there is no lot.
func (c *Conn) arm(events uint32) bool {
	if c.raw == nil {
		return false
	}
	l := c.eng.openLot()
	if l == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	tell := l.poll.Mod
	if !c.slot.held {
		c.slot = l.enter(c)
		tell = l.poll.Add
	}
	key, ok := c.slot.key(), false
	err := c.raw.Control(func(fd uintptr) {
		ok = tell(int(fd), events|sys.RDHUP|sys.ONESHOT, key) == 0
	})
	return err == nil && ok
}

// leaveLot gives up c's place. The descriptor may live on elsewhere, so epoll is told.
func (c *Conn) leaveLot() {
	c.mu.Lock()
	s := c.slot
	c.slot = slot{}
	c.mu.Unlock()
	l := c.eng.lotOf()
	if !s.held || l == nil {
		return
	}
	c.raw.Control(func(fd uintptr) { l.poll.Del(int(fd)) })
	l.leave(s)
}

// lotOf returns the lot if there is one.
func (e *Engine) lotOf() *lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lot
}

// event is called by the lot: something happened to c's socket.
func (c *Conn) event(ev *sys.Event) {
	if c.unpark() {
		return
	}
	if t := c.wrapper.Load(); t != nil {
		t.wake()
		return
	}
	if ev.Has(sys.RDHUP | sys.HUP | sys.ERR) {
		c.peerGone()
	}
}

// park gives an idle connection to the lot. It reports whether the caller's goroutine is to end, because the
// connection is not its any more.
func (c *Conn) park() bool {
	park := c.eng.cfg.IdlePark
	if park == 0 || c.r < c.w || c.eng.clock.time() < c.idleSince+int64(park) || !c.quiet() {
		return false
	}
	c.releaseRunning()
	c.waitUntil(&c.readBy, after(c.idleSince, c.eng.cfg.IdleTimeout))
	c.eng.stats.parked.Add(1)
	c.parked.Store(true)
	// From here on a kick may take the connection out again. Whoever set a flag before finds it parked; whoever sets
	// one later is seen here.
	if (c.Draining() || c.aborted.Load() || !c.arm(sys.IN)) && c.claim() {
		c.running = runnings.Get().(*running)
		return false
	}
	return true
}

// quiet tells whether nothing is on its way in or out, and gives back what a parked connection does not need.
func (c *Conn) quiet() bool {
	if c.shim != nil && c.shim.r < c.shim.w {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sending || len(c.out) > 0 {
		return false
	}
	c.sender, c.room = nil, nil
	return true
}

// claim takes a parked connection out of the lot; true makes the caller its owner.
func (c *Conn) claim() bool {
	if !c.parked.CompareAndSwap(true, false) {
		return false
	}
	c.eng.stats.parked.Add(-1)
	return true
}

// unpark starts the goroutine of a parked connection; it reports false if c was not parked.
func (c *Conn) unpark() bool {
	if !c.parked.Load() || !c.claim() {
		return false
	}
	go c.run(nil)
	return true
}

// watch sees to it that peerGone is called when the peer leaves.
func (c *Conn) watch() {
	if !c.arm(0) {
		c.readBackground()
	}
}
