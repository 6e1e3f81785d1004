package request

// List holds streams. Its owner guards it with a lock; a stream is in at most one list.
type List struct {
	first *Stream
	n     int
}

// links are a stream's neighbours in a List.
type links struct{ prev, next *Stream }

// Len returns how many streams there are.
func (l *List) Len() int { return l.n }

// Add adds m.
func (l *List) Add(m *Stream) {
	if m.at.next = l.first; l.first != nil {
		l.first.at.prev = m
	}
	l.first = m
	l.n++
}

// Remove removes m.
func (l *List) Remove(m *Stream) {
	if m.at.prev != nil {
		m.at.prev.at.next = m.at.next
	} else {
		l.first = m.at.next
	}
	if m.at.next != nil {
		m.at.next.at.prev = m.at.prev
	}
	m.at = links{}
	l.n--
}

// Find returns the stream id, or nil.
func (l *List) Find(id uint64) *Stream {
	for m := l.first; m != nil; m = m.at.next {
		if m.ID() == id {
			return m
		}
	}
	return nil
}

// All yields all streams.
func (l *List) All(yield func(*Stream) bool) {
	for m := l.first; m != nil && yield(m); m = m.at.next {
	}
}
