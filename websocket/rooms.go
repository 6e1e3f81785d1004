package websocket

import (
	"iter"
	"maps"
	"sync"
)

// Rooms is a set of Rooms with keys. It has a Room for a key while that Room has members. The zero Rooms is ready to
// use. It must not be copied. All methods are safe for concurrent use.
type Rooms[K comparable] struct {
	mu    sync.Mutex
	rooms map[K]*Room
}

// Join adds c to the Room of key. It returns false if c is over.
func (r *Rooms[K]) Join(key K, c *Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.rooms[key]
	if room == nil {
		room = &Room{emptied: func() { r.drop(key) }}
	}
	if !room.Join(c) {
		return false
	}
	if r.rooms == nil {
		r.rooms = map[K]*Room{}
	}
	r.rooms[key] = room
	return true
}

// drop removes the Room of key if it is empty.
func (r *Rooms[K]) drop(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rooms[key].Len() == 0 {
		delete(r.rooms, key)
	}
}

// Leave removes c from the Room of key, if it is a member. See Room.Leave.
func (r *Rooms[K]) Leave(key K, c *Conn) { r.Get(key).Leave(c) }

// Get returns the Room of key, or nil if it has no members; all methods but Join may be called on a nil Room. To add a
// member use Rooms.Join, because an empty Room is forgotten.
func (r *Rooms[K]) Get(key K) *Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rooms[key]
}

// Len returns the number of Rooms with members.
func (r *Rooms[K]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rooms)
}

// All returns an iterator over the current keys and Rooms.
func (r *Rooms[K]) All() iter.Seq2[K, *Room] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.All(maps.Clone(r.rooms))
}
