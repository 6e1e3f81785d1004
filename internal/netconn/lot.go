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

// slot is a connection's place in the lot; under Conn.mu. Tenants are counted from 1: the zero slot is none.
type slot struct{ index, tenant uint32 }

func (s slot) held() bool { return s.tenant != 0 }

// key is what epoll gives back with an event.
func (s slot) key() uint64 { return uint64(s.tenant)<<32 | uint64(s.index) }

// openLot returns the engine's lot, nil where there can be none.
func (e *Engine) openLot() *lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lot != nil || !sys.Available || e.unused() {
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
		l.places = append(l.places, place{tenant: 1})
	}
	p := &l.places[i]
	p.c = c
	return slot{index: i, tenant: p.tenant}
}

// leave frees the place s.
func (l *lot) leave(s slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[s.index]
	p.c = nil
	p.tenant = max(p.tenant+1, 1) // 0 comes after the last number
	l.free = append(l.free, s.index)
}

// askLot has the lot tell the next of the events given, once. It reports false where there is no lot.
func (c *Conn) askLot(events uint32) bool {
	if !c.socket {
		return false
	}
	l := c.eng.openLot()
	if l == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed && c.wrapper.Load() == nil {
		return false
	}
	tell, s := l.poll.Mod, c.slot
	if !s.held() {
		tell, s = l.poll.Add, l.enter(c)
	}
	told := false
	c.raw().Control(func(fd uintptr) {
		told = tell(int(fd), events|sys.RDHUP|sys.ONESHOT, s.key()) == 0
	})
	if told {
		c.slot = s
	} else if !c.slot.held() {
		l.leave(s)
	}
	return told
}

// leaveLot gives up c's place. The descriptor may live on elsewhere, so epoll is told.
func (c *Conn) leaveLot() {
	c.mu.Lock()
	s := c.slot
	c.slot = slot{}
	c.mu.Unlock()
	if !s.held() {
		return
	}
	l := c.eng.lotOf()
	c.raw().Control(func(fd uintptr) { l.poll.Del(int(fd)) })
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
