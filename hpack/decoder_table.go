package hpack

// tableEntry is a field of a decoder's dynamic table.
type tableEntry struct{ name, value string }

func (e *tableEntry) size() int { return len(e.name) + len(e.value) + overhead }

// decoderTable is the dynamic table as its reader keeps it: first in, first out (RFC 7541 §2.3.2). It holds strings, so
// that a hit copies nothing.
type decoderTable struct {
	ring []tableEntry // as long as a power of two
	next int          // where in it the next entry goes, before wrapping around
	n    int          // entries
	size int          // of all of them, RFC 7541 §4.1
	max  int
}

// at returns the i-th entry; the newest is the first, 0.
func (t *decoderTable) at(i int) *tableEntry { return &t.ring[(t.next-1-i)&(len(t.ring)-1)] }

// insert puts a field in front. One that is too large for the whole table empties it, which is no error (RFC 7541 §4.4).
func (t *decoderTable) insert(name, value string) {
	size := len(name) + len(value) + overhead
	if size > t.max {
		t.evict(0)
		return
	}
	t.evict(t.max - size)
	if t.n == len(t.ring) {
		t.grow()
	}
	e := &t.ring[t.next]
	e.name = name
	e.value = value
	t.next = (t.next + 1) & (len(t.ring) - 1)
	t.n++
	t.size += size
}

// resize sets the size that the table may have (RFC 7541 §4.3).
func (t *decoderTable) resize(max int) {
	t.max = max
	t.evict(max)
}

// evict lets the oldest go until no more than most is left.
func (t *decoderTable) evict(most int) {
	for t.size > most {
		e := t.at(t.n - 1)
		t.size -= e.size()
		t.n--
		*e = tableEntry{}
	}
}

// reset returns an empty table of t's memory.
func (t *decoderTable) reset() decoderTable {
	if len(t.ring) > mostKept {
		return decoderTable{}
	}
	clear(t.ring)
	return decoderTable{ring: t.ring}
}

// grow doubles the ring, which is full.
func (t *decoderTable) grow() {
	ring := make([]tableEntry, max(4, 2*len(t.ring)))
	for i := range t.n {
		ring[t.n-1-i] = *t.at(i)
	}
	t.ring, t.next = ring, t.n
}
