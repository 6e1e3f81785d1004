package streamsock

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// gather collects a message that comes in pieces. Its buffer grows with the bytes received, not with the announced length.
type gather struct {
	b []byte // from the pool; nil between messages
}

// add appends a piece. most is the largest size that the message can have, as far as is known.
func (g *gather) add(p []byte, most int) {
	n := len(g.b)
	if n+len(p) > cap(g.b) || g.b == nil {
		g.b = bufpool.Grow(g.b, max(n+len(p), min(most, 2*n), 1))[:n]
	}
	g.b = append(g.b, p...)
}

// take returns the message, whose buffer the caller takes over.
func (g *gather) take() []byte {
	b := g.b
	g.b = nil
	return b
}

// drop returns the buffer of an incomplete message to the pool.
func (g *gather) drop() {
	bufpool.Put(g.b)
	g.b = nil
}
