package hpack

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// rfcBlock is a block of RFC 7541 Appendix C: its fields, and the table after it.
type rfcBlock struct {
	row   string
	wire  string
	field []string // "name: value"
	table []string // the newest first
	size  int
}

// rfcStories are the examples that share a table. The table of the responses has 256 bytes.
var rfcStories = []struct {
	name  string
	table int
	block []rfcBlock
}{
	{"literal with indexing", 4096, []rfcBlock{
		{"C.2.1", "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
			[]string{"custom-key: custom-header"}, []string{"custom-key: custom-header"}, 55},
	}},
	{"literal without indexing", 4096, []rfcBlock{
		{"C.2.2", "040c 2f73 616d 706c 652f 7061 7468", []string{":path: /sample/path"}, nil, 0},
	}},
	{"literal never indexed", 4096, []rfcBlock{
		{"C.2.3", "1008 7061 7373 776f 7264 0673 6563 7265 74", []string{"password: secret (sensitive)"}, nil, 0},
	}},
	{"indexed", 4096, []rfcBlock{
		{"C.2.4", "82", []string{":method: GET"}, nil, 0},
	}},
	{"requests", 4096, []rfcBlock{
		{"C.3.1", "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", request1, []string{exampleCom}, 57},
		{"C.3.2", "8286 84be 5808 6e6f 2d63 6163 6865", request2, []string{noCache, exampleCom}, 110},
		{"C.3.3", "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65", request3, []string{customKey, noCache, exampleCom}, 164},
	}},
	{"requests with Huffman code", 4096, []rfcBlock{
		{"C.4.1", "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", request1, []string{exampleCom}, 57},
		{"C.4.2", "8286 84be 5886 a8eb 1064 9cbf", request2, []string{noCache, exampleCom}, 110},
		{"C.4.3", "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf", request3, []string{customKey, noCache, exampleCom}, 164},
	}},
	{"responses", 256, []rfcBlock{
		{"C.5.1", "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 54" +
			"6e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", response1, table1, 222},
		{"C.5.2", "4803 3330 37c1 c0bf", response2, table2, 222},
		{"C.5.3", "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d" +
			"4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
			response3, table3, 215},
	}},
	{"responses with Huffman code", 256, []rfcBlock{
		{"C.6.1", "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8" +
			"e9ae 82ae 43d3", response1, table1, 222},
		{"C.6.2", "4883 640e ffc1 c0bf", response2, table2, 222},
		{"C.6.3", "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b" +
			"3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07", response3, table3, 215},
	}},
}

const (
	exampleCom = ":authority: www.example.com"
	noCache    = "cache-control: no-cache"
	customKey  = "custom-key: custom-value"
	private    = "cache-control: private"
	second21   = "date: Mon, 21 Oct 2013 20:13:21 GMT"
	second22   = "date: Mon, 21 Oct 2013 20:13:22 GMT"
	location   = "location: https://www.example.com"
	cookieFoo  = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
)

var (
	request1  = []string{":method: GET", ":scheme: http", ":path: /", exampleCom}
	request2  = []string{":method: GET", ":scheme: http", ":path: /", exampleCom, noCache}
	request3  = []string{":method: GET", ":scheme: https", ":path: /index.html", exampleCom, customKey}
	response1 = []string{":status: 302", private, second21, location}
	response2 = []string{":status: 307", private, second21, location}
	response3 = []string{":status: 200", private, second22, location, "content-encoding: gzip", cookieFoo}
	table1    = []string{location, second21, private, ":status: 302"}
	table2    = []string{":status: 307", location, second21, private}
	table3    = []string{cookieFoo, "content-encoding: gzip", second22}
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// show formats fields like the examples.
func show(fields []Field) (lines []string) {
	for _, f := range fields {
		line := f.Name + ": " + f.Value
		if f.Sensitive {
			line += " (sensitive)"
		}
		lines = append(lines, line)
	}
	return lines
}

// dump returns the entries of a table, the newest first.
func (t *decoderTable) dump() (fields []Field) {
	for i := range t.n {
		e := t.at(i)
		fields = append(fields, Field{Name: e.name, Value: e.value})
	}
	return fields
}

// dump returns the entries of a table, the newest first.
func (t *encoderTable) dump() (fields []Field) {
	for i := t.end; i > t.first; i-- {
		e := t.entry(i - 1)
		fields = append(fields, Field{Name: string(t.nameOf(e)), Value: string(t.valueOf(e))})
	}
	return fields
}

func TestIntegersOfTheAppendix(t *testing.T) {
	for _, g := range []struct {
		row  string
		mask byte
		v    int
		wire string
	}{
		{"C.1.1", 0x1F, 10, "0a"}, {"C.1.2", 0x1F, 1337, "1f9a0a"}, {"C.1.3", 0xFF, 42, "2a"},
	} {
		if got := appendInt(nil, 0, g.mask, g.v); hex.EncodeToString(got) != g.wire {
			t.Errorf("%s is written %x", g.row, got)
		}
		if v, n, err := readInt(unhex(t, g.wire), g.mask); v != g.v || n != len(g.wire)/2 || err != nil {
			t.Errorf("%s is read %d, %d, %v", g.row, v, n, err)
		}
	}
}

// The blocks of the appendix, each in one piece and cut at every byte.
func TestBlocksOfTheAppendix(t *testing.T) {
	for _, story := range rfcStories {
		for cut := range 100 {
			d := NewDecoder(story.table)
			for _, g := range story.block {
				wire := unhex(t, g.wire)
				at := min(cut, len(wire))
				fields, err := d.Append(wire[:at], nil)
				if err != nil {
					t.Fatalf("%s: %v", g.row, err)
				}
				if fields, err = d.Append(wire[at:], fields); err != nil {
					t.Fatalf("%s: %v", g.row, err)
				}
				if err := d.End(); err != nil {
					t.Fatalf("%s: %v", g.row, err)
				}
				if got := show(fields); !slices.Equal(got, g.field) {
					t.Fatalf("%s: %q, want %q", g.row, got, g.field)
				}
				if got := show(d.table.dump()); !slices.Equal(got, g.table) || d.TableSize() != g.size {
					t.Fatalf("%s: the table holds %q of %d bytes, want %q of %d", g.row, got, d.TableSize(), g.table, g.size)
				}
			}
		}
	}
}

// Our encoder encodes the requests exactly like the appendix.
func TestRequestsAreWrittenAsInTheAppendix(t *testing.T) {
	for _, story := range rfcStories {
		if story.name != "requests with Huffman code" {
			continue
		}
		var e Encoder
		var d Decoder
		for _, g := range story.block {
			fields, err := d.Decode(unhex(t, g.wire))
			if err != nil {
				t.Fatal(err)
			}
			if got := e.AppendBlock(nil, fields); !bytes.Equal(got, unhex(t, g.wire)) {
				t.Errorf("%s is written %x, want %s", g.row, got, g.wire)
			}
			if got := show(e.table.dump()); !slices.Equal(got, g.table) {
				t.Errorf("%s: the table holds %q, want %q", g.row, got, g.table)
			}
		}
	}
}
