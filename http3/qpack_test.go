package http3_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	other "github.com/quic-go/qpack"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// theirs decodes a section with quic-go's QPACK.
func theirs(b []byte) (fields []hpack.Field, err error) {
	next := other.NewDecoder().Decode(b)
	for {
		f, err := next()
		if err == io.EOF {
			return fields, nil
		}
		if err != nil {
			return fields, err
		}
		fields = append(fields, hpack.Field{Name: f.Name, Value: f.Value})
	}
}

// ours decodes a section with our QPACK.
func ours(b []byte) ([]hpack.Field, error) {
	fields, err := new(qpack.Decoder).Decode(b, nil)
	for i := range fields {
		fields[i].Sensitive = false
	}
	return fields, err
}

// Our QPACK and quic-go's understand each other.
func TestQPACKAgainstAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{":path", ":status", "accept", "authorization", "cookie", "content-type", "x-frame-options", "x", strings.Repeat("long-name-", 20)}
	values := []string{"", "/", "200", "a", "*/*", "text/plain", "sameorigin", "\x00\xff", strings.Repeat("value ", 100), "0123456789"}
	for range 2000 {
		var fields []hpack.Field
		mine := qpack.Encoder{}.AppendPrefix(nil)
		var b strings.Builder
		enc := other.NewEncoder(&b)
		for range r.IntN(8) {
			f := hpack.Field{Name: names[r.IntN(len(names))], Value: values[r.IntN(len(values))]}
			fields = append(fields, f)
			mine = qpack.Encoder{}.AppendField(mine, f.Name, f.Value)
			if err := enc.WriteField(other.HeaderField{Name: f.Name, Value: f.Value}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := theirs(mine); !slices.Equal(got, fields) || err != nil {
			t.Fatalf("theirs reads %+v, %v; want %+v", got, err, fields)
		}
		if len(fields) == 0 {
			continue // theirs writes no prefix
		}
		if got, err := ours([]byte(b.String())); !slices.Equal(got, fields) || err != nil {
			t.Fatalf("ours reads %+v, %v; want %+v", got, err, fields)
		}
	}
}

// A section that both decoders accept has the same fields in both.
func FuzzQPACKAgainstAnother(f *testing.F) {
	f.Add(unhex(f, "0000 51 0b 2f69 6e64 6578 2e68 746d 6c"))
	f.Add(unhex(f, "0000 d1 ff23 2161 01 62"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ours(b)
		want, otherErr := theirs(b)
		if err == nil && otherErr == nil && !slices.Equal(got, want) {
			t.Fatalf("%+v, theirs %+v", got, want)
		}
		if err == nil && otherErr != nil && !strings.Contains(otherErr.Error(), "Base") {
			t.Fatalf("%+v, theirs says %v", got, otherErr)
		}
	})
}
