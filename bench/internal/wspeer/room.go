package wspeer

import (
	"io"
	"slices"
	"sync"
)

// room is who is on PathRoom. One message at a time goes to all, so that nobody writes to a connection meanwhile.
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

// each calls send for every member. One that cannot be written to leaves by itself: its reader fails.
func (r *room[C]) each(send func(c C) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		send(c)
	}
}

// ReadAll reads r to its end into buf, which is grown as it must be, and returns what was read. The next message can
// use the memory again.
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
