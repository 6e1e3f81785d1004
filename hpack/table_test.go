package hpack

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveTable is a direct implementation of a dynamic table as in RFC 7541 §4.
type naiveTable struct {
	fields []Field // the newest first
	max    int
}

func (t *naiveTable) size() (n int) {
	for _, f := range t.fields {
		n += f.Size()
	}
	return n
}

func (t *naiveTable) resize(max int) {
	t.max = max
	for t.size() > max {
		t.fields = t.fields[:len(t.fields)-1]
	}
}

func (t *naiveTable) insert(f Field) {
	for len(t.fields) > 0 && t.size()+f.Size() > t.max {
		t.fields = t.fields[:len(t.fields)-1]
	}
	if f.Size() <= t.max {
		t.fields = slices.Insert(t.fields, 0, f)
	}
}

func (t *naiveTable) find(match func(Field) bool) int {
	if i := slices.IndexFunc(t.fields, match); i >= 0 {
		return staticLen + 1 + i
	}
	return 0
}

// tableModel applies script to both tables, and compares them with the naive one after each step.
func tableModel(t *testing.T, script []byte) {
	naive := naiveTable{max: 300}
	dec, enc := decoderTable{max: 300}, encoderTable{max: 300}
	for ; len(script) >= 3; script = script[3:] {
		op, a, b := script[0], int(script[1]), int(script[2])
		if op%16 == 0 {
			size := a * b % 1000
			naive.resize(size)
			dec.resize(size)
			enc.resize(size)
		} else {
			f := Field{Name: strings.Repeat(string(rune('a'+a%5)), a%7), Value: strings.Repeat(string(rune('a'+b%3)), b%90)}
			name, value := []byte(f.Name), []byte(f.Value)
			nameHash := hash(0, name)
			allHash := hash(nameHash, value)
			sameName := func(g Field) bool { return g.Name == f.Name }
			if got, want := enc.findName(nameHash, name), naive.find(sameName); got != want {
				t.Fatalf("%q has the index %d, want %d", f.Name, got, want)
			}
			if got, want := enc.findAll(allHash, name, value), naive.find(func(g Field) bool { return g == f }); got != want {
				t.Fatalf("%+v has the index %d, want %d", f, got, want)
			}
			dec.insert(f.Name, f.Value)
			if f.Size() <= enc.max { // else Encoder does not insert it
				enc.insert(nameHash, allHash, name, value)
				naive.insert(f)
			} else {
				enc.evict(0)
				naive.fields = nil
			}
		}
		if !slices.Equal(dec.dump(), naive.fields) || !slices.Equal(enc.dump(), naive.fields) {
			t.Fatalf("decoder %q\nencoder %q\nwant    %q", show(dec.dump()), show(enc.dump()), show(naive.fields))
		}
		if dec.size != naive.size() || enc.size != naive.size() {
			t.Fatalf("decoder %d bytes, encoder %d, want %d", dec.size, enc.size, naive.size())
		}
	}
}

func TestTablesAgainstTheNaiveOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		script := make([]byte, 600)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		tableModel(t, script)
	}
}

// FuzzTables does the same with scripts of the fuzzer.
func FuzzTables(f *testing.F) {
	f.Add([]byte("abcabd\x00\x10\x10abc"))
	f.Fuzz(tableModel)
}

// Evicted entries are not found, although their slots still refer to them.
func TestStaleSlots(t *testing.T) {
	var table encoderTable
	table.resize(40)
	for i := range 1000 {
		name := binary.BigEndian.AppendUint16(nil, uint16(i))
		if table.findName(hash(0, name), name) != 0 {
			t.Fatalf("%x is found", name)
		}
		table.insert(hash(0, name), hash(hash(0, name), nil), name, nil)
		if got := table.findName(hash(0, name), name); got != staticLen+1 {
			t.Fatalf("%x has the index %d", name, got)
		}
		if old := binary.BigEndian.AppendUint16(nil, uint16(i-1)); table.findName(hash(0, old), old) != 0 {
			t.Fatalf("%x is still found", old)
		}
	}
}

// A peer that sends only colliding names causes at most maxProbes comparisons. What is not found is encoded as a literal.
func TestCollisions(t *testing.T) {
	var table encoderTable
	table.resize(4096)
	for i := range 2 * maxProbes {
		table.insert(0, 0, []byte{byte(i)}, nil)
	}
	for i := range 2 * maxProbes {
		want := 0
		if i >= maxProbes {
			want = staticLen + 2*maxProbes - i
		}
		if got := table.findName(0, []byte{byte(i)}); got != want {
			t.Errorf("name %d has the index %d, want %d", i, got, want)
		}
		if got := table.findAll(0, []byte{byte(i)}, nil); got != want {
			t.Errorf("field %d has the index %d, want %d", i, got, want)
		}
	}
}

// Fields with the same name and colliding hashes are told apart by their values.
func TestCollidingValues(t *testing.T) {
	var table encoderTable
	table.resize(4096)
	for i := range 4 {
		table.insert(0, 0, []byte("name"), []byte{byte(i)})
	}
	for i := range 4 {
		if got, want := table.findAll(0, []byte("name"), []byte{byte(i)}), staticLen+4-i; got != want {
			t.Errorf("value %d has the index %d, want %d", i, got, want)
		}
	}
}

// Strings that differ in one byte, at any position, or in their length, have different hashes, also in each half, which
// are used separately.
func TestHashesDiffer(t *testing.T) {
	seen, high := map[uint64]string{}, map[uint32]int{}
	for size := range 30 {
		for at := range size {
			for c := range 256 {
				if c == 'x' {
					continue
				}
				text := []byte(strings.Repeat("x", size))
				text[at] = byte(c)
				h := hash(0, text)
				if other, isThere := seen[h]; isThere {
					t.Fatalf("%q and %q have the same hash", text, other)
				}
				seen[h] = string(text)
				high[uint32(h>>32)]++
			}
		}
	}
	if len(high) < len(seen)*999/1000 {
		t.Errorf("%d hashes have only %d upper halves", len(seen), len(high))
	}
}

// The static table finds each of its names and values, and nothing else.
func TestStaticTable(t *testing.T) {
	for i := 1; i <= staticLen; i++ {
		f := Field{Name: staticTable[i].name, Value: staticTable[i].value}
		first := findStatic(hash(0, []byte(f.Name)), []byte(f.Name))
		if first == 0 || staticTable[first].name != f.Name || first > 1 && staticTable[first-1].name == f.Name {
			t.Errorf("%q begins at %d", f.Name, first)
		}
		if got := findStaticValue(first, []byte(f.Value)); got != i {
			t.Errorf("%+v is found at %d, want %d", f, got, i)
		}
		if got := findStaticValue(first, []byte("no such value")); got != 0 {
			t.Errorf("%q has another value at %d", f.Name, got)
		}
		other := []byte(f.Name + "x")
		if got := findStatic(hash(0, other), other); got != 0 {
			t.Errorf("%q is found at %d", other, got)
		}
	}
	for _, slot := range staticSlots {
		if slot == 0 {
			return
		}
	}
	t.Error("no slot is empty: a name that is not there is looked for for ever")
}

// Evicted entries pin no memory.
func TestEvictedEntriesAreForgotten(t *testing.T) {
	var table decoderTable
	table.resize(4096)
	for range 5 {
		table.insert("name", "value")
	}
	table.resize(0)
	for _, e := range table.ring {
		if e != (tableEntry{}) {
			t.Errorf("%+v is still there", e)
		}
	}
}
