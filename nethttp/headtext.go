package nethttp

import (
	"strings"
	"sync"
)

const (
	textChunk   = 4 << 10       // what one allocation of text holds
	sharedLimit = textChunk / 4 // a longer head gets a string of its own
)

// textPool holds chunks with room left. Heads are short and a chunk takes several: most requests allocate no text.
// A builder only ever appends, so what it has given out does not change; a chunk lives as long as somebody keeps a
// string of it.
var textPool = sync.Pool{New: func() any { return new(strings.Builder) }}

// immutable returns b as a string.
func immutable(b []byte) string {
	if len(b) > sharedLimit {
		return string(b)
	}
	chunk := textPool.Get().(*strings.Builder)
	if chunk.Cap()-chunk.Len() < len(b) {
		chunk.Reset()
		chunk.Grow(textChunk)
	}
	start := chunk.Len()
	chunk.Write(b)
	s := chunk.String()[start:]
	textPool.Put(chunk)
	return s
}
