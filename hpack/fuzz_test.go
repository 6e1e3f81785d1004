package hpack

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	oracle "golang.org/x/net/http2/hpack"
)

func seeds(f *testing.F) {
	for _, story := range rfcStories {
		var all []byte
		for _, g := range story.block {
			f.Add(unhex(f, g.wire), uint16(7))
			all = append(all, unhex(f, g.wire)...)
		}
		f.Add(all, uint16(1))
	}
	for _, s := range []string{"203fe11f82", "ff808080808000", "40016184fffffffc", "407f80ffffff07", "4001610162be7e0163bf", "0f300161"} {
		f.Add(unhex(f, s), uint16(3))
	}
}

// theirs decodes a block with x/net.
func theirs(d *oracle.Decoder, block []byte) (fields []Field, err error) {
	d.SetEmitFunc(func(f oracle.HeaderField) { fields = append(fields, Field{f.Name, f.Value, f.Sensitive}) })
	if _, err := d.Write(block); err != nil {
		return fields, err
	}
	return fields, d.Close()
}

// FuzzDecoder decodes a block whole, in two pieces and byte by byte: the results must be the same, and the same as
// x/net's.
func FuzzDecoder(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, block []byte, cut uint16) {
		unlimited := Decoder{MaxListBytes: -1, MaxFields: -1}
		whole, inTwo, single := unlimited, unlimited, unlimited
		want, wantErr := whole.Decode(block)
		at := int(cut) % (len(block) + 1)
		sameInPieces(t, &inTwo, want, wantErr, block[:at], block[at:])
		sameInPieces(t, &single, want, wantErr, slices.Collect(slices.Chunk(block, 1))...)

		x := oracle.NewDecoder(DefaultTableSize, nil)
		got, err := theirs(x, block)
		switch {
		case wantErr == errInteger || wantErr == errUpdateLate:
			return // x/net reads more zeros in front, and updates behind fields while its table is empty
		case (err == nil) != (wantErr == nil):
			t.Fatalf("%v, x/net says %v", wantErr, err)
		case err == nil && !slices.Equal(got, want):
			t.Fatalf("%+v, x/net reads %+v", want, got)
		}
	})
}

func sameInPieces(t *testing.T, d *Decoder, want []Field, wantErr error, pieces ...[]byte) {
	t.Helper()
	fields := []Field{}
	var err error
	for _, p := range pieces {
		if fields, err = d.Append(bytes.Clone(p), fields); err != nil {
			break
		}
	}
	if err == nil {
		err = d.End()
	}
	if err != wantErr || !slices.Equal(fields, want) {
		t.Fatalf("in pieces %+v, %v; in whole %+v, %v", fields, err, want, wantErr)
	}
}

// FuzzLimits decodes a block with small limits: its fields must be the first of those without limits, and the table and
// all errors but TooLarge must be the same.
func FuzzLimits(f *testing.F) {
	seeds(f)
	f.Add(slices.Concat(lit(0x40, strings.Repeat("x", 300), "v", true), lit(0, "a", strings.Repeat("y", 300), false)), uint16(0x123))
	f.Fuzz(func(t *testing.T, block []byte, limits uint16) {
		free := Decoder{MaxListBytes: -1, MaxFields: -1, MaxStringLen: -1}
		bound := Decoder{MaxListBytes: int(limits&15)*40 + 1, MaxFields: int(limits>>4&15) + 1, MaxStringLen: int(limits>>8&15)*10 + 1}
		all, allErr := free.Decode(block)
		fields := []Field{}
		var err error
		for piece := range slices.Chunk(block, int(limits>>12)+1) {
			if fields, err = bound.Append(piece, fields); err != nil && err != errTooLarge {
				break
			}
			if most := max(DefaultTableSize, bound.MaxListBytes)*2*30/8 + 64; cap(bound.partial) > 2*most {
				t.Fatalf("%d bytes are kept", cap(bound.partial))
			}
		}
		if err == nil || err == errTooLarge {
			err = bound.End()
		}
		// Dropped strings are checked as they arrive, the others when they are complete.
		early := allErr == errTruncated && err == errHuffman
		if err != allErr && !early && !(err == errTooLarge && allErr == nil) {
			t.Fatalf("%v, without limits %v", err, allErr)
		}
		if len(fields) > len(all) || !slices.Equal(fields, all[:len(fields)]) || err == nil && len(fields) != len(all) {
			t.Fatalf("%+v, without limits %+v", fields, all)
		}
		if allErr == nil && !slices.Equal(bound.table.dump(), free.table.dump()) {
			t.Fatalf("the table holds %+v, without limits %+v", bound.table.dump(), free.table.dump())
		}
	})
}

// FuzzEncoders lets each side decode what the other encodes, in several blocks with tables that change their size.
func FuzzEncoders(f *testing.F) {
	f.Add(uint64(1), []byte("\x00\x10\x20\x30\x41\x52\x63\x74"))
	f.Add(uint64(7), []byte("\xff\x00\xfe\x01\xfd\x02\x82\x82\x82"))
	f.Fuzz(bothWays)
}

func TestBothWays(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for i := range 200 {
		script := make([]byte, 100)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		bothWays(t, uint64(i), script)
	}
}

func bothWays(t *testing.T, seed uint64, script []byte) {
	r := rand.New(rand.NewPCG(seed, 0))
	ours := Encoder{TableLimit: 8192}
	read := oracle.NewDecoder(DefaultTableSize, nil)
	var out bytes.Buffer
	written := oracle.NewEncoder(&out)
	mine := Decoder{MaxListBytes: -1, MaxFields: -1}
	for _, c := range script {
		if c >= 0xF0 { // the tables change
			size := r.IntN(6000)
			ours.SetMaxTableSize(size)
			read.SetAllowedMaxDynamicTableSize(uint32(size))
			written.SetMaxDynamicTableSizeLimit(uint32(size))
			written.SetMaxDynamicTableSize(uint32(size))
			mine.SetAllowedTableSize(size)
			continue
		}
		fields := make([]Field, c%8)
		for i := range fields {
			fields[i] = someField(r)
		}
		got, err := theirs(read, ours.AppendBlock(nil, fields))
		want := slices.Clone(fields)
		for i, f := range want {
			static := findStatic(hash(0, []byte(f.Name)), []byte(f.Name))
			secret := policyOf(static, []byte(f.Name), []byte(f.Value)) == never && findStaticValue(static, []byte(f.Value)) == 0
			want[i].Sensitive = f.Sensitive || secret
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("x/net reads %+v, %v; written was %+v", got, err, want)
		}
		out.Reset()
		for _, f := range fields {
			if err := written.WriteField(oracle.HeaderField{Name: f.Name, Value: f.Value, Sensitive: f.Sensitive}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err = mine.Decode(out.Bytes()); err != nil || !slices.Equal(got, fields) {
			t.Fatalf("we read %+v, %v; x/net wrote %+v", got, err, fields)
		}
	}
}

func someField(r *rand.Rand) Field {
	var f Field
	switch r.IntN(3) {
	case 0:
		e := staticTable[1+r.IntN(staticLen)]
		f = Field{Name: e.name, Value: e.value}
	case 1:
		f.Name = staticTable[1+r.IntN(staticLen)].name
	default:
		f.Name = strings.Repeat("n", r.IntN(20))
	}
	if f.Value == "" {
		f.Value = strings.Repeat(string(rune(r.IntN(256))), r.IntN(5)*r.IntN(40))
	}
	f.Sensitive = r.IntN(10) == 0
	return f
}
