package shockwave

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// pair is a line of the model: a Header must behave as a slice of these.
type pair struct{ name, value string }

type model []pair

func (m model) del(name string) (out model) {
	for _, p := range m {
		if !strings.EqualFold(p.name, name) {
			out = append(out, p)
		}
	}
	return out
}

func (m model) set(name, value string) model {
	for i, p := range m {
		if strings.EqualFold(p.name, name) {
			rest := m[i+1:].del(name)
			return append(append(m[:i:i], pair{name, value}), rest...)
		}
	}
	return append(m, pair{name, value})
}

func (m model) get(name string) (values []string) {
	for _, p := range m {
		if strings.EqualFold(p.name, name) {
			values = append(values, p.value)
		}
	}
	return values
}

// borrow lends h the lines of m in one buffer, as a parser does.
func borrow(h *Header, m model) []byte {
	var buf []byte
	put := func(s string) Span {
		start := uint32(len(buf))
		buf = append(buf, s...)
		return Span{start, uint32(len(buf))}
	}
	h.Borrow(nil)
	for _, p := range m {
		name := put(p.name)
		buf = append(buf, ": "...)
		h.Append(Line{name, put(p.value)})
	}
	h.Rebase(buf)
	return buf
}

// A Header behaves like a plain list of lines, whatever calls are made on it.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x05\x02\x00\x03\x07\x04\x00\x05\x03\x06\x02"))
	f.Add([]byte("\x05\x09\x02\x01\x00\x02\x04\x02\x05\x01\x03\x01\x06\x00\x00\x00"))
	for i := range uint64(20) {
		rnd := rand.New(rand.NewPCG(i, i))
		ops := make([]byte, 200)
		for j := range ops {
			ops[j] = byte(rnd.Uint32())
		}
		f.Add(ops)
	}
	names := []string{"Host", "HOST", "host", "Accept", "accept", "X-A", "x-a", "X@A", "x`a", "A"}
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 200 {
			t.Skip()
		}
		var h Header
		var m model
		var lent, original []byte
		for i := 0; i+1 < len(ops); i += 2 {
			arg := int(ops[i+1])
			name, value := names[arg%len(names)], strings.Repeat(string(rune('a'+arg%26)), arg%60)
			switch ops[i] % 7 {
			case 0:
				h.Add(name, value)
				m = append(m, pair{name, value})
			case 1:
				h.AddBytes([]byte(name), []byte(value))
				m = append(m, pair{name, value})
			case 2:
				h.Set(name, value)
				m = m.set(name, value)
			case 3:
				h.Del(name)
				m = m.del(name)
			case 4:
				m = model{{"Lent", "1"}, {name, value}, {"", ""}, {name, "2"}}
				lent = borrow(&h, m)
				original = bytes.Clone(lent)
			case 5:
				if len(m) > 0 { // a value of its own: the bytes move while they are copied
					n, v := h.At(arg % len(m))
					h.AddBytes(n, v)
					m = append(m, m[arg%len(m)])
				}
			case 6:
				if arg%4 == 0 {
					h.Reset()
					m = nil
				}
			}
			compare(t, &h, m, names)
			if !bytes.Equal(lent, original) {
				t.Fatalf("lent bytes were changed to %q", lent)
			}
		}
	})
}

func compare(t *testing.T, h *Header, m model, names []string) {
	t.Helper()
	if h.Len() != len(m) {
		t.Fatalf("%d lines, want %q", h.Len(), m)
	}
	for i, p := range m {
		name, value := h.At(i)
		l := h.Line(i)
		if string(name) != p.name || string(value) != p.value ||
			string(h.Bytes()[l.Name.Start:l.Name.End]) != p.name || string(h.Bytes()[l.Value.Start:l.Value.End]) != p.value {
			t.Fatalf("line %d is %q: %q, want %q", i, name, value, p)
		}
	}
	for _, name := range names {
		want := m.get(name)
		var got []string
		for v, i := h.Next(name, 0); i > 0; v, i = h.Next(name, i) {
			got = append(got, string(v))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || h.Has(name) != (len(want) > 0) {
			t.Fatalf("%s is %q, want %q", name, got, want)
		}
		if v := h.Get(name); len(want) == 0 && v != nil || len(want) > 0 && (v == nil || string(v) != want[0] || h.GetString(name) != want[0]) {
			t.Fatalf("first %s is %q, want %q", name, v, want)
		}
	}
}

// Appending to a value that a Header returned does not overwrite the next line.
func TestAppendingToAValueHarmsNoNeighbour(t *testing.T) {
	var h Header
	h.Add("A", "1")
	h.Add("B", "2")
	_ = append(h.Get("A"), "xxxxxxxx"...)
	if h.GetString("B") != "2" {
		t.Errorf("B is %q", h.GetString("B"))
	}
}

// Setting a field again and again does not grow the buffer without bound.
func TestSetDoesNotGrowForEver(t *testing.T) {
	var h Header
	h.Add("Keep", "this")
	for i := range 10_000 {
		h.Set("Count", strings.Repeat("x", i%100))
	}
	if n := cap(h.Bytes()); n > 2048 {
		t.Errorf("the buffer has grown to %d bytes", n)
	}
	if h.GetString("Keep") != "this" || h.Len() != 2 {
		t.Errorf("%d lines, Keep is %q", h.Len(), h.GetString("Keep"))
	}
}

// Reset keeps no reference to bytes that were lent to the Header.
func TestResetForgetsLentBytes(t *testing.T) {
	var h Header
	h.Add("A", "1")
	lent := borrow(&h, model{{"B", "2"}})
	h.Reset()
	h.Add("C", "3")
	if string(lent) != "B: 2" || h.Len() != 1 || h.GetString("C") != "3" {
		t.Errorf("lent %q, %d lines", lent, h.Len())
	}
}

// Trim gives up memory that is larger than it needs to be.
func TestTrimLetsLargeMemoryGo(t *testing.T) {
	var h Header
	fill := func(lines, size int) {
		for range lines {
			h.Add("A", strings.Repeat("x", size))
		}
	}
	for _, c := range []struct{ lines, size int }{{1, 5000}, {100, 1}, {0, 0}} {
		fill(c.lines, c.size)
		lent := borrow(&h, model{{"B", "2"}})
		h.Trim(1000)
		if cap(h.buf) > 1000 || cap(h.own) > 1000 || cap(h.lines)*16 > 1000 || h.Len() != 0 {
			t.Errorf("%d lines of %d bytes: kept %d bytes and %d lines", c.lines, c.size, cap(h.buf), cap(h.lines))
		}
		h.Add("C", "3")
		if string(lent) != "B: 2" || h.GetString("C") != "3" {
			t.Errorf("lent %q, C is %q", lent, h.GetString("C"))
		}
		h.Reset()
	}
	if n := testing.AllocsPerRun(100, func() { h.Add("A", "little"); h.Trim(1000) }); n != 0 {
		t.Errorf("little memory is not kept: %v allocations", n)
	}
}

// All yields the lines in their order, each once, until the loop is left.
func TestAll(t *testing.T) {
	var h Header
	for range h.All() {
		t.Error("a line of none")
	}
	h.Add("B", "1")
	h.Add("A", "")
	h.Add("b", "3")
	var got []string
	for name, value := range h.All() {
		if got = append(got, string(name)+"="+string(value)); len(got) == 5 {
			break
		}
	}
	for name := range h.All() {
		got = append(got, string(name))
		break
	}
	if want := "B=1 A= b=3 B"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// A Header that is used again allocates nothing.
func TestHeaderAllocatesNothingOnceWarm(t *testing.T) {
	var h Header
	name, value := []byte("Content-Type"), []byte("text/plain")
	lent := []byte("Host: x")
	for what, f := range map[string]func(){
		"fill": func() {
			h.Reset()
			h.Add("Server", "x")
			h.AddBytes(name, value)
			h.Set("Server", "yy")
			h.Del("Nothing")
		},
		"borrow": func() {
			h.Borrow(lent)
			h.Append(Line{Span{0, 4}, Span{6, 7}})
			if !h.Has("hOST") || len(h.Get("host")) != 1 {
				t.Error("no Host")
			}
		},
		"iterate": func() {
			h.Borrow(lent)
			h.Append(Line{Span{0, 4}, Span{6, 7}})
			n := 0
			for name, value := range h.All() {
				n += len(name) + len(value)
			}
			if n != len("Host")+len("x") {
				t.Error("not Host")
			}
		},
		"borrow, then add": func() {
			h.Borrow(lent)
			h.Append(Line{Span{0, 4}, Span{6, 7}})
			h.Add("A", "b")
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	h.Reset()
	h.Add("A", strings.Repeat("b", 100))
	if n := testing.AllocsPerRun(100, func() { _ = h.GetString("A") }); n > 1 {
		t.Errorf("GetString: %v allocations", n)
	}
}

// The text of an error names the side that broke the rule, the rule, and its RFC.
func TestProtocolErrorWords(t *testing.T) {
	if Peer.String() != "peer" || Local.String() != "local" {
		t.Errorf("%v, %v", Peer, Local)
	}
}
