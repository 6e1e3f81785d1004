package hpack

// tableEntry is an entry of a decoder's dynamic table.
type tableEntry struct{ name, value string }

func (e *tableEntry) size() int { return len(e.name) + len(e.value) + overhead }

// decoderTable is the dynamic table of a decoder: first in, first out (RFC 7541 §2.3.2). It holds strings, so that a hit
// copies nothing.
type decoderTable struct {
	ring []tableEntry // its length is a power of two
	next int          // index in ring of the next entry, modulo its length
	n    int          // number of entries
	size int          // size of all entries (RFC 7541 §4.1)
	max  int
}

// at returns entry i; entry 0 is the newest.
func (t *decoderTable) at(i int) *tableEntry { return &t.ring[(t.next-1-i)&(len(t.ring)-1)] }

// insert adds an entry. An entry that is larger than the table empties it, which is no error (RFC 7541 §4.4).
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

// resize sets the maximum size of the table (RFC 7541 §4.3).
func (t *decoderTable) resize(max int) {
	t.max = max
	t.evict(max)
}

// evict removes the oldest entries until the size is at most most.
func (t *decoderTable) evict(most int) {
	for t.size > most {
		e := t.at(t.n - 1)
		t.size -= e.size()
		t.n--
		*e = tableEntry{}
	}
}

// reset returns an empty table that uses t's memory.
func (t *decoderTable) reset() decoderTable {
	if len(t.ring) > maxKeptEntries {
		return decoderTable{}
	}
	clear(t.ring)
	return decoderTable{ring: t.ring}
}

// grow doubles the ring, which must be full.
func (t *decoderTable) grow() {
	ring := make([]tableEntry, max(4, 2*len(t.ring)))
	for i := range t.n {
		ring[t.n-1-i] = *t.at(i)
	}
	t.ring, t.next = ring, t.n
}
