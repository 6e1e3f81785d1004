package hpack

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// How each kind of field is encoded: how its first byte begins, and whether it is in the table afterwards.
func TestWhatGoesIntoTheTable(t *testing.T) {
	const indexed, inTable, passed, secret = "indexed", "table", "passing", "never"
	for _, g := range []struct {
		field Field
		want  string
	}{
		{Field{Name: ":method", Value: "GET"}, indexed},
		{Field{Name: ":status", Value: "500"}, indexed},
		{Field{Name: ":authority"}, indexed}, // with an empty value it is an entry of the static table
		{Field{Name: "accept-encoding", Value: "gzip, deflate"}, indexed},
		{Field{Name: "www-authenticate"}, indexed},
		{Field{Name: ":method", Value: "PATCH"}, inTable},
		{Field{Name: ":status", Value: "302"}, inTable},
		{Field{Name: "date", Value: "Mon, 21 Oct 2013 20:13:22 GMT"}, inTable},
		{Field{Name: "server", Value: "x"}, inTable},
		{Field{Name: "x-own", Value: ""}, inTable},
		{Field{Name: "cookie", Value: strings.Repeat("x", 20)}, inTable},
		{Field{Name: "cookie", Value: strings.Repeat("x", 19)}, secret},
		{Field{Name: "authorization", Value: "Basic eHg="}, secret},
		{Field{Name: "proxy-authorization", Value: "Basic eHg="}, secret},
		{Field{Name: ":method", Value: "GET", Sensitive: true}, secret},
		{Field{Name: "x-own", Value: "", Sensitive: true}, secret},
		{Field{Name: ":path", Value: "/"}, indexed},
		{Field{Name: ":path", Value: "/x"}, passed},
		{Field{Name: "age", Value: "7"}, passed},
		{Field{Name: "content-length", Value: "13"}, passed},
		{Field{Name: "content-range", Value: "bytes 0-1/2"}, passed},
		{Field{Name: "etag", Value: `"x"`}, passed},
		{Field{Name: "if-match", Value: `"x"`}, passed},
		{Field{Name: "if-modified-since", Value: "x"}, passed},
		{Field{Name: "if-none-match", Value: "x"}, passed},
		{Field{Name: "if-range", Value: "x"}, passed},
		{Field{Name: "if-unmodified-since", Value: "x"}, passed},
		{Field{Name: "last-modified", Value: "x"}, passed},
		{Field{Name: "location", Value: "x"}, passed},
		{Field{Name: "set-cookie", Value: "x"}, passed},
		{Field{Name: "x-request-id", Value: "x"}, passed},
		{Field{Name: "traceparent", Value: "x"}, passed},
		{Field{Name: "x-large", Value: strings.Repeat("x", 3072-32-7)}, inTable},
		{Field{Name: "x-large", Value: strings.Repeat("x", 3072-32-6)}, passed},
	} {
		var e Encoder
		var d Decoder
		wire := e.AppendField(nil, g.field)
		got := passed
		switch c := wire[0]; {
		case c&0x80 != 0:
			got = indexed
		case c&0x40 != 0:
			got = inTable
		case c&0xF0 == 0x10:
			got = secret
		}
		fields, err := d.Decode(wire)
		want := g.field
		want.Sensitive = g.want == secret
		if got != g.want || err != nil || len(fields) != 1 || fields[0] != want {
			t.Errorf("%.60v: %s, want %s; read %.60v, %v", g.field, got, g.want, fields, err)
		}
		size := 0
		if g.want == inTable {
			size = g.field.Size()
		}
		if e.table.size != size || d.TableSize() != size {
			t.Errorf("%.60v: %d bytes in the table, the reader's has %d, want %d", g.field, e.table.size, d.TableSize(), size)
		}
		if again := e.AppendField(nil, g.field); g.want == inTable && hex.EncodeToString(again) != "be" || g.want != inTable && !bytes.Equal(again, wire) {
			t.Errorf("%.60v: repeated as %x", g.field, again)
		}
	}
}

// A name that is in a table is not written again, however the field is encoded.
func TestNamesAreFound(t *testing.T) {
	var e Encoder
	e.AppendField(nil, Field{Name: "x-a", Value: "1"})
	e.AppendField(nil, Field{Name: "x-b", Value: "1"})
	for _, g := range []struct {
		field Field
		want  string
	}{
		{Field{Name: "x-a", Value: "0", Sensitive: true}, "1f30" + "0130"},
		{Field{Name: "x-b", Value: "0", Sensitive: true}, "1f2f" + "0130"},
		{Field{Name: "X-B", Value: "0"}, "7e" + "0130"},
		{Field{Name: "x-b", Value: "1"}, "bf"},
		{Field{Name: "x-b", Value: "0"}, "be"},
		{Field{Name: "set-cookie", Value: "0"}, "0f28" + "0130"},
		{Field{Name: "www-authenticate", Value: "0", Sensitive: true}, "1f2e" + "0130"},
		{Field{Name: "te", Value: "0", Sensitive: true}, "10" + "824a0b"[:0] + "027465" + "0130"},
	} {
		if got := hex.EncodeToString(e.AppendField(nil, g.field)); got != g.want {
			t.Errorf("%+v: %s, want %s", g.field, got, g.want)
		}
	}
}

// Strings, byte slices and header lines are encoded the same, in whatever case their names are.
func TestEveryWayIsTheSame(t *testing.T) {
	lines := [][2]string{
		{":Status", "200"}, {"Content-Type", "text/html"}, {"X", "1"}, {"CONTENT-LENGTH", "5"}, {"x-Longer-Than-Eight-Bytes-Z", "@[`{"},
		{"aZ@[`{\xC1\xDA", "v"}, {"Aaaaaaaa", "v"}, {"aaaaaaaaA", "v"}, {"", ""}, {"Content-Type", "text/html"},
	}
	var byField, byLine, byHeader, byBlock Encoder
	var h shockwave.Header
	var fields []Field
	var a, b []byte
	for _, l := range lines {
		a = byField.AppendField(a, Field{Name: l[0], Value: l[1]})
		name := []byte(l[0])
		b = byLine.AppendLine(b, name, []byte(l[1]), false)
		if string(name) != l[0] {
			t.Errorf("%q has been changed", l[0])
		}
		h.Add(l[0], l[1])
		fields = append(fields, Field{Name: l[0], Value: l[1]})
	}
	c, d := byHeader.AppendHeader(nil, &h), byBlock.AppendBlock(nil, fields)
	if !bytes.Equal(a, b) || !bytes.Equal(a, c) || !bytes.Equal(a, d) {
		t.Errorf("fields %x\nlines  %x\nheader %x\nblock  %x", a, b, c, d)
	}
	var dec Decoder
	got, err := dec.Decode(a)
	if err != nil || len(got) != len(lines) {
		t.Fatal(got, err)
	}
	for i, l := range lines {
		want := bytes.ToLower([]byte(l[0]))
		if strings.Contains(l[0], "\xC1") {
			want = []byte("az@[`{\xC1\xDA")
		}
		if got[i].Name != string(want) || got[i].Value != l[1] {
			t.Errorf("%q: %+v", l, got[i])
		}
	}
	var s Encoder
	if a, b := s.AppendLine(nil, []byte("X"), []byte("y"), true), new(Encoder).AppendField(nil, Field{"x", "y", true}); !bytes.Equal(a, b) || a[0] != 0x10 {
		t.Errorf("sensitive: %x, %x", a, b)
	}
}

// Table size updates (RFC 7541 §4.2): numbers are the sizes that the peer allows, "x" is a block of one field.
func TestUpdatesAreWritten(t *testing.T) {
	const first, again = "40" + "81f3" + "00", "be" // x, and an empty value
	for _, g := range []struct {
		name  string
		limit int
		lines []string
		want  []string // each block
	}{
		{"nothing", 0, []string{"x", "x"}, []string{first, again}},
		{"the same", 0, []string{"4096", "x", "4096", "x"}, []string{first, again}},
		{"more than this end wants", 0, []string{"65536", "x"}, []string{first}},
		{"more", 8192, []string{"65536", "x", "x"}, []string{"3fe13f" + first, again}},
		{"more, never told", 8192, []string{"x"}, []string{first}},
		{"less", 0, []string{"x", "100", "x", "x"}, []string{first, "3f45" + again, again}},
		{"none", 0, []string{"x", "0", "x"}, []string{first, "20" + "00" + first[2:]}},
		{"none, then as before", 0, []string{"x", "0", "4096", "x", "x"}, []string{first, "20" + "3fe11f" + first, again}},
		{"none, then a little, then more", 0, []string{"x", "0", "10", "200", "x"}, []string{first, "20" + "3fa901" + first}},
		{"less and less", 0, []string{"x", "200", "100", "x"}, []string{first, "3f45" + again}},
		{"less, and back", 0, []string{"x", "100", "4096", "x"}, []string{first, "20" + "3fe11f" + first}},
		{"nothing in the table, less, and back", 0, []string{"100", "4096", "x"}, []string{"3f45" + "3fe11f" + first}},
		{"this end wants less", 100, []string{"x", "x"}, []string{"3f45" + first, again}},
		{"this end wants none", -1, []string{"x", "x"}, []string{"20" + "00" + first[2:], "00" + first[2:]}},
		{"this end wants less and the peer allows more", 100, []string{"65536", "x"}, []string{"3f45" + first}},
		{"a negative number", 0, []string{"-5", "x"}, []string{"20" + "00" + first[2:]}},
	} {
		e := Encoder{TableLimit: g.limit}
		var got []string
		for _, line := range g.lines {
			if line == "x" {
				got = append(got, hex.EncodeToString(e.AppendField(nil, Field{Name: "x"})))
			} else {
				e.SetMaxTableSize(number(line))
			}
		}
		// The value is empty: length 0 without Huffman code. The name of one byte is no shorter in Huffman code.
		want := slices.Clone(g.want)
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "81f3", "0178")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", g.name, got, want)
		}
	}
}

// An update is sent once, at the start of a block, even one without fields.
func TestUpdateBeforeNothing(t *testing.T) {
	var e Encoder
	e.SetMaxTableSize(0)
	if got := e.AppendBlock(nil, nil); hex.EncodeToString(got) != "20" {
		t.Errorf("%x", got)
	}
	if got := e.AppendHeader(nil, new(shockwave.Header)); len(got) != 0 {
		t.Errorf("%x", got)
	}
}

// A long-lived connection: fields are added and evicted until the ring and the bytes have wrapped around many times. The
// decoder understands each block, and the memory does not grow.
func TestTheTableStaysSmall(t *testing.T) {
	var e Encoder
	var d Decoder
	var wire []byte
	for i := range 20000 {
		f := Field{Name: "x-" + strings.Repeat("n", i%50), Value: hex.EncodeToString([]byte{byte(i), byte(i >> 8)}) + strings.Repeat("v", i*i%300)}
		wire = e.AppendField(wire[:0], f)
		if got, err := d.Decode(wire); err != nil || len(got) != 1 || got[0] != f {
			t.Fatalf("%d: %+v, %v", i, got, err)
		}
	}
	if len(e.table.ring) > 128 || cap(e.table.bytes) > 2*DefaultTableSize || len(d.table.ring) > 128 {
		t.Errorf("%d entries, %d bytes; the reader has %d", len(e.table.ring), cap(e.table.bytes), len(d.table.ring))
	}
}
