package wspeer

import (
	"io"
	"slices"
	"sync"
)

// room is the connections on PathRoom. It sends one message at a time, so that there is only one writer per connection.
type room[C comparable] struct {
	mu      sync.Mutex
	members map[C]struct{}
}

func newRoom[C comparable]() *room[C] { return &room[C]{members: map[C]struct{}{}} }

func (r *room[C]) enter(c C) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[c] = struct{}{}
}

func (r *room[C]) leave(c C) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
}

// each calls send for every member. It ignores errors: the reader of a broken connection fails and removes it.
func (r *room[C]) each(send func(c C) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		send(c)
	}
}

// ReadAll reads r to its end into buf, which it grows as necessary, and returns the bytes. The caller can reuse the returned
// memory for the next message.
func ReadAll(buf []byte, r io.Reader) ([]byte, error) {
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(64, len(buf)))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}
