package qpack

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/hpack"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The representations of RFC 9204 §4.5 are decoded, and others are refused. All are cut at every byte, too: a part is
// refused, or it is another section.
func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []hpack.Field
		err  error
	}{
		"no fields":                         {in: "0000"},
		"appendix B.1":                      {in: "0000 510b 2f69 6e64 6578 2e68 746d 6c", want: []hpack.Field{{Name: ":path", Value: "/index.html"}}},
		"appendix B.2":                      {in: "0381 10 11", err: errRequired},
		"appendix B.4":                      {in: "0500 80 c1 81", err: errRequired},
		"indexed":                           {in: "0000 d1 c1", want: []hpack.Field{{Name: ":method", Value: "GET"}, {Name: ":path", Value: "/"}}},
		"the last index":                    {in: "0000 ff23", want: []hpack.Field{{Name: "x-frame-options", Value: "sameorigin"}}},
		"an index beyond":                   {in: "0000 ff24", err: errIndex},
		"an index far beyond":               {in: "0000 ff c0ffffffffffffff3f", err: errIndex},
		"an index of more than 62 bits":     {in: "0000 ff ffffffffffffffff7f", err: errInteger},
		"an index without end":              {in: "0000 ff 80808080808080808080808080", err: errInteger},
		"a zero in many bytes":              {in: "0000 ff 8080808080808000", want: []hpack.Field{{Name: ":status", Value: "100"}}},
		"the dynamic table, indexed":        {in: "0000 80", err: errDynamic},
		"the dynamic table, name":           {in: "0000 40 00", err: errDynamic},
		"the dynamic table, post-base":      {in: "0000 10", err: errDynamic},
		"the dynamic table, post-base name": {in: "0000 00 00", err: errDynamic},
		"literal with a name reference":     {in: "0000 55 01 61", want: []hpack.Field{{Name: "cookie", Value: "a"}}},
		"one that stays a literal":          {in: "0000 75 01 61", want: []hpack.Field{{Name: "cookie", Value: "a", Sensitive: true}}},
		"a name beyond":                     {in: "0000 5f54 00", err: errIndex},
		"a name in two bytes":               {in: "0000 5f53 00", want: []hpack.Field{{Name: "x-frame-options"}}},
		"literal":                           {in: "0000 21 61 02 6263", want: []hpack.Field{{Name: "a", Value: "bc"}}},
		"literal that stays one":            {in: "0000 31 61 02 6263", want: []hpack.Field{{Name: "a", Value: "bc", Sensitive: true}}},
		"no name, no value":                 {in: "0000 20 00", want: []hpack.Field{{}}},
		"Huffman codes":                     {in: "0000 2a 1fff 81 1f", err: errHuffman},
		"a Huffman code, its name":          {in: "0000 29 1f 00", want: []hpack.Field{{Name: "a"}}},
		"a Huffman code, its value":         {in: "0000 21 61 81 1f", want: []hpack.Field{{Name: "a", Value: "a"}}},
		"a long name":                       {in: "0000 2700" + strings.Repeat("62", 7) + "00", want: []hpack.Field{{Name: "bbbbbbb"}}},
		"a base that means nothing":         {in: "00 7f8001 d1", want: []hpack.Field{{Name: ":method", Value: "GET"}}},
		"a negative base":                   {in: "0080", err: errBase},
		"entries that are required":         {in: "0100", err: errRequired},
		"nothing":                           {in: "", err: errTruncated},
		"half a prefix":                     {in: "00", err: errTruncated},
		"a base without end":                {in: "00ff", err: errBase},
		"half an index":                     {in: "0000ff", err: errTruncated},
		"half a reference":                  {in: "00005f", err: errTruncated},
		"no value":                          {in: "0000 55", err: errTruncated},
		"half a value":                      {in: "0000 55 02 61", err: errTruncated},
		"no literal's value":                {in: "0000 21 61", err: errTruncated},
		"half a name":                       {in: "0000 22 61", err: errTruncated},
		"half a name's length":              {in: "0000 27", err: errTruncated},
		"a length of 2^62-1":                {in: "0000 55 7f 80ffffffffffffff3f", err: errTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			in := unhex(t, tc.in)
			var d Decoder
			got, err := d.Decode(in, nil)
			if tc.err == nil && err != nil || tc.err != nil && err != tc.err {
				t.Fatalf("%v, want %v", err, tc.err)
			}
			if err == nil && !slices.Equal(got, tc.want) {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
			for n := range in {
				part, err := d.Decode(in[:n], nil)
				if err == nil && tc.err == nil && len(part) >= len(tc.want) && len(tc.want) > 0 {
					t.Errorf("%d bytes are %+v", n, part)
				}
			}
		})
	}
}

// Limits count the decoded fields, with 32 bytes for each, and are checked before a string is expanded.
func TestDecodeLimits(t *testing.T) {
	two := "0000 21 61 02 6263 d1" // a: bc, 35 bytes, and :method: GET, 42
	for name, tc := range map[string]struct {
		in            string
		bytes, fields int
		want          int // fields that are returned
		err           error
	}{
		"exactly":             {in: two, bytes: 77, fields: 2, want: 2},
		"a byte less":         {in: two, bytes: 76, fields: 2, want: 1, err: errTooLarge},
		"a field less":        {in: two, bytes: 77, fields: 1, want: 1, err: errTooLarge},
		"not the first":       {in: two, bytes: 34, want: 0, err: errTooLarge},
		"less than overhead":  {in: "0000 20 00", bytes: 31, want: 0, err: errTooLarge},
		"just overhead":       {in: "0000 20 00", bytes: 32, want: 1},
		"no limits":           {in: two, want: 2},
		"negative: no limits": {in: two, bytes: -1, fields: -1, want: 2},
		"code that expands":   {in: "0000 21 61 8a" + strings.Repeat("00", 10), bytes: 32 + 1 + 16, want: 1}, // 16 zeros
		"code beyond":         {in: "0000 21 61 8a" + strings.Repeat("00", 10), bytes: 32 + 1 + 15, want: 0, err: errTooLarge},
		"malformed beyond":    {in: "0000 21 61 88 ffffffffffffffff", bytes: 33, want: 0, err: errTooLarge},
		"a long text":         {in: "0000 21 61 7f01" + strings.Repeat("62", 128), bytes: 160, want: 0, err: errTooLarge},
		"a long name":         {in: "0000 27 01" + strings.Repeat("62", 8) + "00", bytes: 39, want: 0, err: errTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decoder{MaxListBytes: tc.bytes, MaxFields: tc.fields}
			got, err := d.Decode(unhex(t, tc.in), nil)
			if tc.err == nil && err != nil || tc.err != nil && err != tc.err || len(got) != tc.want {
				t.Errorf("%d fields, %v; want %d, %v", len(got), err, tc.want, tc.err)
			}
		})
	}
}

// A section beyond the limits takes no memory, however far it would expand.
func TestNothingIsExpanded(t *testing.T) {
	section := append(unhex(t, "0000 21 61"), appendInt(nil, huffmanBit, textMask, 1<<20)...)
	section = append(section, make([]byte, 1<<20)...)
	d := Decoder{MaxListBytes: 64 << 10, MaxFields: 100}
	if n := testing.AllocsPerRun(10, func() { d.Decode(section, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Trim releases the memory that is kept for speed.
func TestTrim(t *testing.T) {
	var d Decoder
	if _, err := d.Decode(unhex(t, "0000 21 61 02 6263"), nil); err != nil || d.texts.Empty() {
		t.Fatal(err)
	}
	if d.Trim(); !d.texts.Empty() {
		t.Error("memory is kept")
	}
}
