package websocket

import (
	"iter"
	"slices"
	"sync"
)

// Room is a set of connections that are told the same things: a topic, a document, the devices of a user. A connection may
// be in any number of them, of whatever Group it is, and leaves them all when it is over, before OnClose. A Room has neither
// a goroutine nor a descriptor, and ends nobody.
//
// The zero Room is empty and ready, and a nil one empty for ever; a Room must not be copied. All methods may be called
// concurrently.
type Room struct {
	mu      sync.Mutex
	members map[*Conn]struct{}
	list    []*Conn // of members, never changed; nil when it is to be made anew
	emptied func()  // called, without a lock, when the last has left
}

// Join makes c a member. It reports false if c is over.
func (r *Room) Join(c *Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.homeless {
		return false
	}
	rare := c.rarely()
	if rare.rooms == nil {
		rare.rooms = map[*Room]struct{}{}
	}
	rare.rooms[r] = struct{}{}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members == nil {
		r.members = map[*Conn]struct{}{}
	}
	r.members[c], r.list = struct{}{}, nil
	return true
}

// Leave ends c's membership, if it is a member.
func (r *Room) Leave(c *Conn) {
	if r == nil {
		return
	}
	c.mu.Lock()
	if c.rare != nil {
		delete(c.rare.rooms, r)
	}
	empty := r.remove(c)
	c.mu.Unlock()
	if empty && r.emptied != nil {
		r.emptied()
	}
}

// remove drops c, whose mu is held or which is homeless, and reports whether nobody is left.
func (r *Room) remove(c *Conn) (empty bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	r.list = nil
	return len(r.members) == 0
}

// leaveRooms ends the memberships of a connection that ends.
func (c *Conn) leaveRooms() {
	c.mu.Lock()
	c.homeless = true
	var rooms map[*Room]struct{}
	if c.rare != nil {
		rooms, c.rare.rooms = c.rare.rooms, nil
	}
	c.mu.Unlock()
	for r := range rooms {
		if r.remove(c) && r.emptied != nil {
			r.emptied()
		}
	}
}

// Has reports whether c is a member.
func (r *Room) Has(c *Conn) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.members[c]
	return ok
}

// Len returns how many members there are.
func (r *Room) Len() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

// All returns an iterator over the members of this moment. Some of them may be over when their turn comes.
func (r *Room) All() iter.Seq[*Conn] { return slices.Values(r.snapshot()) }

// Broadcast sends m to all members but those of except, and returns to how many; see the function Broadcast.
func (r *Room) Broadcast(m *PreparedMessage, except ...*Conn) int {
	return broadcast(r.All(), m, except)
}

// snapshot returns the members. The slice is nobody's to change.
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
