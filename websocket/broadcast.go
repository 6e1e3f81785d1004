package websocket

import (
	"iter"
	"slices"
)

// Broadcast sends m to each connection of to, and returns to how many. to may be slices.Values of a list, or the All of
// a Group or Room, filtered if need be. For a connection with a slow peer, Config.Slow decides; with BlockWhenSlow m is
// dropped if the backlog is full, because the other connections must not wait. Connections that are over are skipped.
func Broadcast(to iter.Seq[*Conn], m *PreparedMessage) int { return broadcast(to, m, nil) }

func broadcast(to iter.Seq[*Conn], m *PreparedMessage, except []*Conn) (n int) {
	for c := range to {
		if !slices.Contains(except, c) && m.sendTo(&c.send, false) == nil {
			n++
		}
	}
	return n
}
