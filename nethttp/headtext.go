package nethttp

import (
	"strings"
	"sync"
)

const (
	textChunk   = 4 << 10       // bytes allocated at a time
	sharedLimit = textChunk / 4 // a longer head gets a string of its own
)

// textPool holds chunks that have room left. Most heads are short, and several fit into a chunk, so most requests
// allocate no text. A strings.Builder only appends: strings taken from it do not change. A chunk lives as long as any
// string in it.
var textPool = sync.Pool{New: func() any { return new(strings.Builder) }}

// immutable returns a copy of b as a string.
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
