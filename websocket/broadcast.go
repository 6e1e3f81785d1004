package websocket

import (
	"iter"
	"slices"
)

// Broadcast sends m to the connections of to and returns to how many: to some that slices.Values gives, or to those of a
// Group or Room that are to have it. A connection that does not keep up is dealt with as its Config.Slow says; with
// BlockWhenSlow m is dropped when the Backlog is full, because the others must not wait for it. One that is over is passed
// over.
func Broadcast(to iter.Seq[*Conn], m *PreparedMessage) int { return broadcast(to, m, nil) }

// Broadcast sends m to all connections of the group but those of except, and returns to how many; see the function
// Broadcast.
func (g *Group) Broadcast(m *PreparedMessage, except ...*Conn) int {
	return broadcast(g.All(), m, except)
}

func broadcast(to iter.Seq[*Conn], m *PreparedMessage, except []*Conn) (n int) {
	for c := range to {
		if !slices.Contains(except, c) && c.sendPrepared(m, false) == nil {
			n++
		}
	}
	return n
}
