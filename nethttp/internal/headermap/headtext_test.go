package headermap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestTextKeepsItsBytes(t *testing.T) {
	var kept, want []string
	b := make([]byte, 3*textChunk)
	for i := range 2000 {
		n := i * 7 % (2 * sharedLimit)
		for j := range n {
			b[j] = byte('a' + i%26)
		}
		text, _ := KeepHead(b[:n], 0)
		kept = append(kept, text)
		want = append(want, strings.Repeat(string(rune('a'+i%26)), n))
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("text %d changed: %.20q, want %.20q", i, kept[i], want[i])
		}
	}
}

func TestShortTextSharesItsAllocation(t *testing.T) {
	b := bytes.Repeat([]byte("x"), sharedLimit/2)
	if n := testing.AllocsPerRun(1000, func() { KeepHead(b, 0) }); n > 0.5 {
		t.Errorf("%v allocations for each text of %d bytes", n, len(b))
	}
}

// A full chunk is left to the heads that use it, so chunks do not grow.
func TestTextDoesNotPileUp(t *testing.T) {
	b := bytes.Repeat([]byte("x"), sharedLimit/2)
	for range 1000 {
		KeepHead(b, 0)
		room := headRooms.Get().(*headRoom)
		if room.text.Cap() > 2*textChunk {
			t.Fatalf("a chunk of %d bytes", room.text.Cap())
		}
		headRooms.Put(room)
	}
}

// Setting or appending to the values of one head does not change another's.
func TestValuesAreSeparate(t *testing.T) {
	var kept [][]string
	for i := range 1000 {
		n := i % (sharedCount + 5)
		_, values := KeepHead(nil, n)
		if len(values) != 0 || cap(values) != n {
			t.Fatalf("room for %d values: %d of %d", n, len(values), cap(values))
		}
		for range n + 1 {
			values = append(values, strconv.Itoa(i))
		}
		kept = append(kept, values[:n])
	}
	for i, values := range kept {
		if slices.ContainsFunc(values, func(v string) bool { return v != strconv.Itoa(i) }) {
			t.Errorf("head %d has the values %q", i, values)
		}
	}
}

func TestFewValuesShareTheirAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(1000, func() { KeepHead(nil, sharedCount) }); n > 0.5 {
		t.Errorf("%v allocations for each %d values", n, sharedCount)
	}
}
