package streamsock

import "github.com/shockwave-go/shockwave/internal/bufpool"

// gather is a message that comes in pieces. Its memory follows what has come.
type gather struct {
	b []byte // leased; nil between messages
}

// begins reports whether a message is being gathered.
func (g *gather) begins() bool { return g.b != nil }

// add takes a piece of a message that will have no more than so many bytes, as far as is known.
func (g *gather) add(p []byte, most int) {
	n := len(g.b)
	if n+len(p) > cap(g.b) || g.b == nil {
		g.b = bufpool.Grow(g.b, max(n+len(p), min(most, 2*n), 1))[:n]
	}
	g.b = append(g.b, p...)
}

// take returns the message, leased.
func (g *gather) take() []byte {
	b := g.b
	g.b = nil
	return b
}

// drop gives back what has come of a message that will not end.
func (g *gather) drop() {
	bufpool.Put(g.b)
	g.b = nil
}
