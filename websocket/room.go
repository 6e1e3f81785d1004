package websocket

import (
	"iter"
	"slices"
	"sync"
)

// Room is a set of connections that get the same messages, such as the subscribers of a topic, the readers of a document
// or the devices of a user. A connection may be in any number of Rooms, whatever its Group. It leaves all of them when
// it is over, before OnClose is called. A Room uses no goroutine and no file descriptor, and does not end connections.
//
// The zero Room is empty and ready to use. A nil Room is always empty. A Room must not be copied. All methods are safe
// for concurrent use.
type Room struct {
	mu      sync.Mutex
	members map[*Conn]struct{}
	list    []*Conn // the members; never changed, nil after a change of members
	emptied func()  // called without a lock after the last member has left
}

// membership is the Rooms that a connection is a member of. Its lock comes before those of the Rooms.
type membership struct {
	mu    sync.Mutex
	rooms map[*Room]struct{}
	over  bool // the connection has left all Rooms for good
}

// membership returns c's membership, which it makes if needed.
func (c *Conn) membership() *membership {
	if m := c.rooms.Load(); m != nil {
		return m
	}
	c.rooms.CompareAndSwap(nil, new(membership))
	return c.rooms.Load()
}

// Join adds c to the Room. It returns false if c is over.
func (r *Room) Join(c *Conn) bool {
	m := c.membership()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return false
	}
	if m.rooms == nil {
		m.rooms = map[*Room]struct{}{}
	}
	m.rooms[r] = struct{}{}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members == nil {
		r.members = map[*Conn]struct{}{}
	}
	r.members[c], r.list = struct{}{}, nil
	return true
}

// Leave removes c from the Room, if it is a member. It does not wait for a Broadcast that is under way: that one may still
// send its message to c after Leave has returned. A Broadcast that begins later does not.
func (r *Room) Leave(c *Conn) {
	if r == nil {
		return
	}
	m := c.membership()
	m.mu.Lock()
	delete(m.rooms, r)
	empty := r.remove(c)
	m.mu.Unlock()
	if empty && r.emptied != nil {
		r.emptied()
	}
}

// remove removes c and reports whether the Room is empty. c's membership is locked, or c has left all Rooms.
func (r *Room) remove(c *Conn) (empty bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	r.list = nil
	return len(r.members) == 0
}

// noMembership is the membership of connections that have never been in a Room, after their end.
var noMembership = &membership{over: true}

// leaveRooms removes c from all its rooms for good.
func (c *Conn) leaveRooms() {
	if c.rooms.CompareAndSwap(nil, noMembership) {
		return
	}
	m := c.rooms.Load()
	m.mu.Lock()
	rooms := m.rooms
	m.rooms, m.over = nil, true
	m.mu.Unlock()
	for r := range rooms {
		if r.remove(c) && r.emptied != nil {
			r.emptied()
		}
	}
}

// Has reports whether c is a member of the Room.
func (r *Room) Has(c *Conn) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.members[c]
	return ok
}

// Len returns the number of members.
func (r *Room) Len() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

// All returns an iterator over the current members. Some may be over by the time they are yielded.
func (r *Room) All() iter.Seq[*Conn] { return slices.Values(r.snapshot()) }

// Broadcast sends m to all connections that are members when it begins, except those in except, and returns to how many. See
// the function Broadcast, and Leave.
func (r *Room) Broadcast(m *PreparedMessage, except ...*Conn) int {
	return broadcast(r.All(), m, except)
}

// snapshot returns the current members. The caller must not change the slice.
func (r *Room) snapshot() []*Conn {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		r.list = make([]*Conn, 0, len(r.members))
		for c := range r.members {
			r.list = append(r.list, c)
		}
	}
	return r.list
}
