package hpack

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// Encoding allocates nothing, and neither does decoding fields that are in the tables.
func TestRepeatedFieldsAllocateNothing(t *testing.T) {
	var e Encoder
	var d Decoder
	var h shockwave.Header
	var repeated []Field
	for _, f := range responseFields {
		if f.Name != "content-length" && f.Name != "last-modified" { // which are written out each time
			repeated = append(repeated, f)
			h.Add(strings.ToUpper(f.Name), f.Value)
		}
	}
	wire, fields := make([]byte, 0, 1024), make([]Field, 0, 32)
	run := func() {
		wire = e.AppendBlock(wire[:0], repeated)
		wire = e.AppendHeader(wire, &h)
		wire = e.AppendLine(wire, []byte("Content-Type"), []byte("text/html; charset=utf-8"), false)
		var err error
		if fields, err = d.DecodeInto(wire, fields[:0]); err != nil || len(fields) != 2*len(repeated)+1 {
			t.Error(len(fields), err)
		}
	}
	if run(); len(wire) <= len(fields) {
		t.Error("the first block is not written out")
	}
	if n := testing.AllocsPerRun(100, run); n != 0 || len(wire) != len(fields) {
		t.Errorf("%v allocations, %d bytes for %d fields", n, len(wire), len(fields))
	}
}

// Fields that change each time are cut from chunks: less than one allocation per block.
func TestColdBlocksHardlyAllocate(t *testing.T) {
	var d Decoder
	block := coldBlock()
	fields := make([]Field, 0, 32)
	run := func() {
		var err error
		if fields, err = d.DecodeInto(block, fields[:0]); err != nil || len(fields) != 10 {
			t.Error(len(fields), err)
		}
	}
	for range 20 {
		run()
	}
	const blocks = 100
	if n := testing.AllocsPerRun(10, func() {
		for range blocks {
			run()
		}
	}); n/blocks >= 0.5 {
		t.Errorf("%v allocations for a block", n/blocks)
	}
}

// The encoder's table changes all the time, and allocates nothing once it has its size.
func TestTheEncoderAllocatesNothing(t *testing.T) {
	var e Encoder
	wire, value := make([]byte, 0, 1024), make([]byte, 40)
	name := []byte("X-Changes")
	i := 0
	run := func() {
		for range 100 {
			i++
			value[0], value[1], value[2] = byte(i), byte(i>>8), byte(i>>16)
			wire = e.AppendLine(wire[:0], name, value, false)
		}
	}
	run()
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
