package lenframe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
)

// oracle reads a stream in the simplest way: with a blocking reader, and a copy of everything.
func oracle(wire []byte, max uint32) string {
	var log strings.Builder
	in := bytes.NewReader(wire)
	for {
		var length uint32
		if err := binary.Read(in, binary.BigEndian, &length); err != nil {
			return log.String() + err.Error()
		}
		if max != 0 && int64(length) > int64(max) {
			return log.String() + fmt.Sprintf("too large %d", length)
		}
		msg, err := io.ReadAll(io.LimitReader(in, int64(length)))
		if err != nil || int64(len(msg)) < int64(length) {
			return log.String() + io.ErrUnexpectedEOF.Error()
		}
		fmt.Fprintf(&log, "%x, ", msg)
	}
}

// parseAll reads the stream with Parse, from one buffer.
func parseAll(wire []byte, max uint32) string {
	var log strings.Builder
	for {
		p, n, err := Parse(wire, max)
		switch {
		case err != nil:
			return log.String() + fmt.Sprintf("too large %d", err.(*Error).Length)
		case n == 0 && len(wire) == 0:
			return log.String() + io.EOF.Error()
		case n == 0:
			return log.String() + io.ErrUnexpectedEOF.Error()
		}
		fmt.Fprintf(&log, "%x, ", p)
		wire = wire[n:]
	}
}

// FuzzReader cuts a stream into pieces, as long as the bytes of cuts say, and compares the results.
func FuzzReader(f *testing.F) {
	for _, g := range conversations {
		wire := bytesOf(f, strings.ReplaceAll(g.wire, "|", ""))
		f.Add(wire, []byte{1}, g.max)
		f.Add(wire, []byte{3, 0, 2, 5}, g.max)
	}
	long := AppendHeader(nil, 300)
	f.Add(append(append(long, make([]byte, 300)...), 0, 0, 0, 1, 'a'), []byte{4, 200, 99}, uint32(300))
	f.Fuzz(func(t *testing.T, wire, cuts []byte, max uint32) {
		want := oracle(wire, max)
		if got := parseAll(wire, max); got != want {
			t.Errorf("Parse:\n got %s\nwant %s", got, want)
		}
		var pieces [][]byte
		rest := wire
		for i := 0; len(rest) > 0; i++ {
			size := len(rest)
			if len(cuts) > 0 {
				size = min(size, int(cuts[i%len(cuts)]))
			}
			if size == 0 && i >= len(cuts) {
				size = 1 // cuts of nothing but zeros
			}
			pieces, rest = append(pieces, rest[:size]), rest[size:]
		}
		if got := gather(t, &Reader{MaxMessage: max}, pieces...); got != want {
			t.Errorf("in %d pieces:\n got %s\nwant %s", len(pieces), got, want)
		}
	})
}

// FuzzRoundTrip writes messages and reads them.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("hello"), []byte(nil), []byte("\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var wire []byte
		want := ""
		for _, p := range [][]byte{a, b, c} {
			wire = Append(wire, p)
			want += fmt.Sprintf("%x, ", p)
		}
		if got := parseAll(wire, 0); got != want+"EOF" {
			t.Errorf(" got %s\nwant %s", got, want)
		}
	})
}
