package headermap

import (
	"strings"
	"sync"
)

const (
	textChunk   = 4 << 10        // bytes allocated at a time
	sharedLimit = textChunk / 4  // a longer head gets memory of its own
	valueChunk  = 63             // values allocated at a time: with the runtime's own header they fill 1 KiB
	sharedCount = valueChunk / 3 // a head with more values gets memory of its own
)

// headRoom is room for the text and the values of heads. Most heads are small, and several fit into a chunk, so most
// heads allocate nothing. Each gets a part of the chunks that nothing else is written to. A chunk lives as long as any
// part of it, and a chunk of values keeps the texts that they are parts of.
type headRoom struct {
	text   strings.Builder // it only appends: strings taken from it do not change
	values []string        // what is left of a chunk
}

var headRooms = sync.Pool{New: func() any { return new(headRoom) }}

// KeepHead returns a copy of b, the bytes of a head, as a string, and an empty slice with room for n values. A large head
// shares neither: a program that keeps a value of another head must not keep the large one with it.
func KeepHead(b []byte, n int) (text string, values []string) {
	if len(b) > sharedLimit || n > sharedCount {
		return string(b), make([]string, 0, n)
	}
	room := headRooms.Get().(*headRoom)
	text, values = room.keep(b), room.take(n)
	headRooms.Put(room)
	return text, values
}

func (room *headRoom) keep(b []byte) string {
	if room.text.Cap()-room.text.Len() < len(b) {
		room.text.Reset()
		room.text.Grow(textChunk)
	}
	start := room.text.Len()
	room.text.Write(b)
	return room.text.String()[start:]
}

func (room *headRoom) take(n int) []string {
	if len(room.values) < n {
		room.values = make([]string, valueChunk)
	}
	taken := room.values[:0:n]
	room.values = room.values[n:]
	return taken
}
