// Package lot is where idle connections wait without a goroutine: an epoll descriptor that itself waits in Go's poller.
// It also answers whether the peer of a busy connection has left, and whether a full socket takes more.
//
// A connection is known there by the index of a place and the number of its tenants so far, never by its descriptor,
// whose number may belong to another connection by the time an event is read.
package lot

import (
	"os"
	"sync"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// Event is what has happened to a socket, and what can be asked for.
type Event uint32

const (
	// Input is there: bytes, the end of the stream, or an error.
	Input Event = sys.IN
	// Room is there for output, or an error.
	Room Event = sys.OUT
	// Gone means that the peer has closed its half or reset the connection. It may be asked for alone.
	Gone Event = sys.RDHUP | sys.HUP | sys.ERR
)

// Tenant is told what happened. Event is called on the lot's goroutine and must not wait. An event is told once: whoever
// wants the next one asks again.
type Tenant interface{ Event(what Event) }

// Lot is a set of sockets in which something may happen. All methods may be called concurrently, those with the same
// Place one at a time.
type Lot struct {
	poll *sys.Poll
	file *os.File // owns poll's descriptor

	open   sync.RWMutex // held for as long as poll's descriptor is used; for writing to close it
	closed bool

	mu     sync.Mutex
	places []place
	free   []uint32
}

// place is a row of the lot.
type place struct {
	tenant     Tenant // nil while it is free
	generation uint32
}

// Place is where a tenant is, for the lot to find. The zero Place is none.
type Place struct{ index, generation uint32 }

// Held reports whether p is a place.
func (p Place) Held() bool { return p.generation != 0 }

// key is what epoll gives back with an event.
func (p Place) key() uint64 { return uint64(p.generation)<<32 | uint64(p.index) }

// Open makes a lot with a goroutine. It fails where the system has none, or no descriptor left.
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

// Close ends the lot's goroutine. Nobody is told of anything afterwards.
func (l *Lot) Close() {
	l.open.Lock()
	l.closed = true
	l.open.Unlock() // first: the lot's goroutine, which Close waits for, may be told to ask
	l.file.Close()
}

// Ask has t told, once, of the next of the events in what that happens to the socket raw, or of its end. It takes the
// place of what was asked for before at p. An event that is there already is told. It reports false where that cannot be.
func (l *Lot) Ask(p *Place, t Tenant, raw syscall.RawConn, what Event) bool {
	l.open.RLock()
	defer l.open.RUnlock()
	if l.closed {
		return false // the number of poll's descriptor may be another's by now
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

// telling is what poll is told of a socket; it is used again, so that to ask allocates nothing.
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

// tell tells poll of the socket raw, or with mod something else than before, and reports whether it has understood.
func (l *Lot) register(raw syscall.RawConn, mod bool, events uint32, key uint64) bool {
	t := registrations.Get().(*registration)
	t.poll, t.mod, t.events, t.key, t.ok = l.poll, mod, events, key, false
	raw.Control(t.do)
	told := t.ok
	t.poll = nil
	registrations.Put(t)
	return told
}

// Leave gives up the place p of the socket raw. The descriptor may live on elsewhere, so epoll is told.
func (l *Lot) Leave(p *Place, raw syscall.RawConn) {
	at := *p
	if !at.Held() {
		return
	}
	*p = Place{}
	l.open.RLock()
	defer l.open.RUnlock()
	if l.closed {
		return
	}
	raw.Control(func(fd uintptr) { l.poll.Del(int(fd)) })
	l.vacate(at)
}

// deliver takes all events that are there. It returns false to wait for more.
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

// tenant returns who has the place that key was given out for, nil if they have left.
func (l *Lot) tenant(key uint64) Tenant {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.places[uint32(key)]
	if p.generation != uint32(key>>32) {
		return nil
	}
	return p.tenant
}

// enter gives t a place.
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
	p.generation = max(p.generation+1, 1) // 0 comes after the last number
	l.free = append(l.free, at.index)
}
