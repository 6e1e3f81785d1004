package hpack

import "bytes"

// sentEntry is an entry of an encoder's dynamic table. Entries are numbered in the order in which they were added, from
// 0.
type sentEntry struct {
	start             uint64 // position of its name among all bytes ever added; its value follows
	name, value       uint32 // lengths
	olderName         uint64 // 1 + the number of the previous entry whose name has the same slot, 0 if there is none
	olderField        uint64 // the same for the whole field
	nameHash, allHash uint32
}

func (e *sentEntry) size() int { return int(e.name) + int(e.value) + overhead }

// encoderTable is the dynamic table of an encoder: first in, first out, searched by hash. It holds copies of names and
// values, and takes no more memory than its entries have needed so far.
//
// A slot holds the newest entry with its hash, which links to older ones. Evicted entries are not unlinked: a search
// stops at the first number that is too old.
type encoderTable struct {
	max, size  int
	first, end uint64 // numbers of the oldest entry, and of the next one to be added

	ring          []sentEntry // indexed by number; its length is a power of two
	byName, byAll []uint64    // slots: 1 + the number of the newest entry; as long as ring

	bytes []byte // names and values of the entries, one after the other
	from  uint64 // position of bytes[0] among all bytes ever added
}

// maxProbes is how many entries a search compares at most.
const maxProbes = 16

func (t *encoderTable) entry(i uint64) *sentEntry { return &t.ring[i&uint64(len(t.ring)-1)] }

func (t *encoderTable) nameOf(e *sentEntry) []byte { return t.bytes[e.start-t.from:][:e.name] }

func (t *encoderTable) valueOf(e *sentEntry) []byte {
	return t.bytes[e.start-t.from+uint64(e.name):][:e.value]
}

// index returns the index of entry i for the decoder (RFC 7541 §2.3.3).
func (t *encoderTable) index(i uint64) int { return staticLen + int(t.end-i) }

// findAll returns the index of the field, 0 if it is not in the table.
func (t *encoderTable) findAll(h uint64, name, value []byte) int {
	if t.first == t.end {
		return 0
	}
	i := t.byAll[h&uint64(len(t.byAll)-1)]
	for range maxProbes {
		if i <= t.first {
			break
		}
		e := t.entry(i - 1)
		if e.allHash == uint32(h>>32) && bytes.Equal(t.valueOf(e), value) && bytes.Equal(t.nameOf(e), name) {
			return t.index(i - 1)
		}
		i = e.olderField
	}
	return 0
}

// findName returns the index of the newest entry with that name, 0 if there is none.
func (t *encoderTable) findName(h uint64, name []byte) int {
	if t.first == t.end {
		return 0
	}
	i := t.byName[h&uint64(len(t.byName)-1)]
	for range maxProbes {
		if i <= t.first {
			break
		}
		e := t.entry(i - 1)
		if e.nameHash == uint32(h>>32) && bytes.Equal(t.nameOf(e), name) {
			return t.index(i - 1)
		}
		i = e.olderName
	}
	return 0
}

// insert adds an entry, which must not be larger than the table.
func (t *encoderTable) insert(nameHash, allHash uint64, name, value []byte) {
	t.evict(t.max - (len(name) + len(value) + overhead))
	if t.end-t.first == uint64(len(t.ring)) {
		t.grow()
	}
	t.reserve(len(name) + len(value))
	e := t.entry(t.end)
	*e = sentEntry{
		start: t.from + uint64(len(t.bytes)), name: uint32(len(name)), value: uint32(len(value)),
		nameHash: uint32(nameHash >> 32), allHash: uint32(allHash >> 32),
	}
	t.bytes = append(append(t.bytes, name...), value...)
	t.size += e.size()
	t.end++
	t.link(t.end-1, nameHash, allHash)
}

// link makes entry i the newest in its slots. Only the low bits of the hashes matter.
func (t *encoderTable) link(i, nameHash, allHash uint64) {
	e, slots := t.entry(i), uint64(len(t.ring)-1)
	e.olderName, t.byName[nameHash&slots] = t.byName[nameHash&slots], i+1
	e.olderField, t.byAll[allHash&slots] = t.byAll[allHash&slots], i+1
}

// resize sets the maximum size of the table (RFC 7541 §4.3).
func (t *encoderTable) resize(max int) {
	t.max = max
	t.evict(max)
}

// evict removes the oldest entries until the size is at most most.
func (t *encoderTable) evict(most int) {
	for t.size > most {
		t.size -= t.entry(t.first).size()
		t.first++
	}
}

// grow doubles the ring, which must be full, and rebuilds the slots.
func (t *encoderTable) grow() {
	old := *t
	n := max(4, 2*len(t.ring))
	t.ring, t.byName, t.byAll = make([]sentEntry, n), make([]uint64, n), make([]uint64, n)
	for i := t.first; i < t.end; i++ {
		e := old.entry(i)
		*t.entry(i) = *e
		nameHash := hash(0, t.nameOf(e))
		t.link(i, nameHash, hash(nameHash, t.valueOf(e)))
	}
}

// maxKeptEntries is the largest table, in entries, whose memory is kept for another connection.
const maxKeptEntries = 32

// reset returns an empty table that uses t's memory.
func (t *encoderTable) reset() encoderTable {
	if len(t.ring) > maxKeptEntries || cap(t.bytes) > maxKeptEntries*overhead {
		return encoderTable{}
	}
	clear(t.byName)
	clear(t.byAll)
	return encoderTable{ring: t.ring, byName: t.byName, byAll: t.byAll, bytes: t.bytes[:0]}
}

// reserve makes room for n more bytes. If the entries take no more than half of the memory, it moves them to the front;
// otherwise it allocates more.
func (t *encoderTable) reserve(n int) {
	if cap(t.bytes)-len(t.bytes) >= n {
		return
	}
	live := t.bytes[len(t.bytes):]
	if t.first < t.end {
		live = t.bytes[t.entry(t.first).start-t.from:]
	}
	t.from += uint64(len(t.bytes) - len(live))
	into := t.bytes[:0]
	if need := 2 * (len(live) + n); need > cap(into) {
		into = make([]byte, 0, max(need, 128))
	}
	t.bytes = append(into, live...)
}
