// Package lot waits for events on idle connections without a goroutine for each: an epoll descriptor, which itself
// waits in Go's poller. It also reports when the peer of a busy connection has left, and when a full socket takes more.
//
// Epoll knows a connection by the index of its place in a table and the generation of that place, never by its
// descriptor: the number may belong to another connection by the time an event is read.
package lot

import (
	"os"
	"sync"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Event is a set of events on a socket.
type Event uint32

const (
	// Input means that there are bytes, the end of the stream, or an error to read.
	Input Event = sys.IN
	// Room means that the socket takes output, or has an error.
	Room Event = sys.OUT
	// Gone means that the peer has closed its half or reset the connection. It does not include Input.
	Gone Event = sys.RDHUP | sys.HUP | sys.ERR
)

// Tenant receives the events of a connection. Event is called on the lot's goroutine and must not block. Each request
// is answered once: for the next event, call Ask again.
type Tenant interface{ Event(what Event) }

// Lot reports events on sockets. All methods may be called concurrently, but calls with the same Place only one at a
// time.
type Lot struct {
	poll *sys.Poll
	file *os.File // owns poll's descriptor

	pollMu sync.RWMutex // read-locked while poll's descriptor is used, locked to close it
	closed bool

	mu     sync.Mutex
	places []place
	free   []uint32
}

// place is an entry of the table.
type place struct {
	tenant     Tenant // nil if the place is free
	generation uint32
}

// Place identifies an entry of the table. The zero Place is none.
type Place struct{ index, generation uint32 }

// Held reports whether p identifies a place.
func (p Place) Held() bool { return p.generation != 0 }

// key returns the value that epoll returns with an event.
func (p Place) key() uint64 { return uint64(p.generation)<<32 | uint64(p.index) }

// Open returns a new lot and starts its goroutine. It fails where epoll does not exist or no descriptor is left.
func Open() (*Lot, error) {
	poll, err := sys.NewPoll()
	if err != nil {
		return nil, err
	}
	l := &Lot{poll: poll, file: os.NewFile(uintptr(poll.FD()), "lot")}
	raw, err := l.file.SyscallConn()
	if err != nil {
		l.file.Close()
		return nil, err
	}
	go raw.Read(l.deliver)
	return l, nil
}

// Close ends the lot's goroutine. No events are reported afterwards.
func (l *Lot) Close() {
	l.pollMu.Lock()
	l.closed = true
	l.pollMu.Unlock() // before file.Close, which waits for the lot's goroutine: that may be in an Event that calls Ask
	l.file.Close()
}

// Ask reports to t, once, the next event of the set what, or the end, of the socket raw. It replaces the previous
// request at p. An event that is pending already is reported. Ask returns false if the request cannot be made.
func (l *Lot) Ask(p *Place, t Tenant, raw syscall.RawConn, what Event) bool {
	l.pollMu.RLock()
	defer l.pollMu.RUnlock()
	if l.closed {
		return false // another descriptor may have poll's number by now
	}
	at, mod := *p, p.Held()
	if !mod {
		at = l.enter(t)
	}
	told := l.register(raw, mod, uint32(what)|sys.ONESHOT, at.key())
	if told {
		*p = at
	} else if !p.Held() {
		l.vacate(at)
	}
	return told
}

// registration holds the arguments of a call to poll. It is pooled, so that Ask does not allocate.
type registration struct {
	poll   *sys.Poll
	mod    bool
	events uint32
	key    uint64
	ok     bool
	do     func(fd uintptr)
}

var registrations = sync.Pool{New: func() any {
	t := new(registration)
	t.do = func(fd uintptr) {
		tell := t.poll.Add
		if t.mod {
			tell = t.poll.Mod
		}
		t.ok = tell(int(fd), t.events, t.key) == 0
	}
	return t
}}

// register adds the socket raw to poll or, with mod, changes its events. It reports whether that has worked.
func (l *Lot) register(raw syscall.RawConn, mod bool, events uint32, key uint64) bool {
	t := registrations.Get().(*registration)
	t.poll, t.mod, t.events, t.key, t.ok = l.poll, mod, events, key, false
	raw.Control(t.do)
	told := t.ok
	t.poll = nil
	registrations.Put(t)
	return told
}

// Leave gives up the place p of the socket raw. It removes the socket from epoll, since the descriptor may stay open.
func (l *Lot) Leave(p *Place, raw syscall.RawConn) {
	at := *p
	if !at.Held() {
		return
	}
	*p = Place{}
	l.pollMu.RLock()
	defer l.pollMu.RUnlock()
	if l.closed {
		return
	}
	raw.Control(func(fd uintptr) { l.poll.Del(int(fd)) })
	l.vacate(at)
}

// deliver reports all pending events. It returns false to wait for more.
func (l *Lot) deliver(uintptr) bool {
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
			if t := l.tenant(events[i].Data()); t != nil {
				t.Event(Event(events[i].Events))
			}
		}
	}
}

// tenant returns the tenant of the place with the given key, nil if it has left.
func (l *Lot) tenant(key uint64) Tenant {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[uint32(key)]
	if p.generation != uint32(key>>32) {
		return nil
	}
	return p.tenant
}

// enter gives t a free place.
func (l *Lot) enter(t Tenant) Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	var i uint32
	if k := len(l.free); k > 0 {
		i = l.free[k-1]
		l.free = l.free[:k-1]
	} else {
		i = uint32(len(l.places))
		l.places = append(l.places, place{generation: 1})
	}
	p := &l.places[i]
	p.tenant = t
	return Place{index: i, generation: p.generation}
}

// vacate frees the place at.
func (l *Lot) vacate(at Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[at.index]
	p.tenant = nil
	p.generation = max(p.generation+1, 1) // wraps around to 1: 0 is no generation
	l.free = append(l.free, at.index)
}
