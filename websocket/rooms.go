package websocket

import (
	"iter"
	"maps"
	"sync"
)

// Rooms are Rooms by their keys: there is one for a key as long as it has members. The zero Rooms is ready; it must not be
// copied. All methods may be called concurrently.
type Rooms[K comparable] struct {
	mu    sync.Mutex
	rooms map[K]*Room
}

// Join makes c a member of key's Room. It reports false if c is over.
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

// drop forgets key's Room if nobody is in it.
func (r *Rooms[K]) drop(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rooms[key].Len() == 0 {
		delete(r.rooms, key)
	}
}

// Leave ends c's membership in key's Room, if it is a member.
func (r *Rooms[K]) Leave(key K, c *Conn) { r.Get(key).Leave(c) }

// Get returns key's Room, nil if it has no members; a nil Room may be used all the same. Members are made with Rooms.Join
// only: a Room that all have left is forgotten.
func (r *Rooms[K]) Get(key K) *Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rooms[key]
}

// Len returns how many Rooms have members.
func (r *Rooms[K]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rooms)
}

// All returns an iterator over the keys and Rooms of this moment.
func (r *Rooms[K]) All() iter.Seq2[K, *Room] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.All(maps.Clone(r.rooms))
}
