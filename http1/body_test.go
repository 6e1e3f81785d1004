package http1

import (
	"errors"
	"io"
	"testing"
)

// A zero Body has ended and takes no byte.
func TestZeroBodyHasEnded(t *testing.T) {
	var d Body
	if data, n, err := d.Next([]byte("x")); len(data) != 0 || n != 0 || err != nil || !d.Done() || d.End() != nil {
		t.Errorf("Next = %q, %d, %v; done %t", data, n, err, d.Done())
	}
}

// A body with a length ends after that many bytes, and the end of the connection before that is an error.
func TestBodyByLength(t *testing.T) {
	var d Body
	d.Start(Framing{ByLength, 10}, Limits{})
	data, n, err := d.Next([]byte("abc"))
	if string(data) != "abc" || n != 3 || err != nil || d.Remaining() != 7 || d.Done() {
		t.Fatalf("Next = %q, %d, %v; %d remain", data, n, err, d.Remaining())
	}
	if d.End() != io.ErrUnexpectedEOF {
		t.Errorf("End in the middle: %v", d.End())
	}
	d.Skip(5)
	data, n, err = d.Next([]byte("ijKL"))
	if string(data) != "ij" || n != 2 || err != nil || !d.Done() || d.Remaining() != 0 || d.End() != nil {
		t.Errorf("Next = %q, %d, %v; done %t", data, n, err, d.Done())
	}
}

// A body of length 0 is done before any byte arrives.
func TestBodyOfLengthZeroIsDoneAtOnce(t *testing.T) {
	var d Body
	d.Start(Framing{Delimiter: ByLength}, Limits{})
	if !d.Done() {
		t.Error("not done")
	}
}

// A body without a length ends with the connection.
func TestBodyByClose(t *testing.T) {
	var d Body
	d.Start(Framing{Delimiter: ByClose}, Limits{})
	data, n, err := d.Next([]byte("abc"))
	if string(data) != "abc" || n != 3 || err != nil || d.Done() || d.Remaining() != 0 {
		t.Fatalf("Next = %q, %d, %v", data, n, err)
	}
	if d.End() != nil || !d.Done() {
		t.Error("the end of the connection is not the end of the body")
	}
}

// After Skip of the rest of a chunk, Next goes on with the next chunk.
func TestSkipMovesFromChunkToChunk(t *testing.T) {
	var d Body
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	data, n, err := d.Next([]byte("5\r\nab"))
	if string(data) != "ab" || n != 5 || err != nil || d.Remaining() != 3 {
		t.Fatalf("Next = %q, %d, %v; %d remain", data, n, err, d.Remaining())
	}
	d.Skip(3)
	data, n, err = d.Next([]byte("\r\n2\r\nfg\r\n0\r\n\r\nrest"))
	if string(data) != "fg" || n != 7 || err != nil {
		t.Fatalf("Next = %q, %d, %v", data, n, err)
	}
	data, n, err = d.Next([]byte("\r\n0\r\n\r\nrest"))
	if len(data) != 0 || n != 7 || err != nil || !d.Done() {
		t.Fatalf("Next = %q, %d, %v; done %t", data, n, err, d.Done())
	}
}

// The framing that a body may use grows with its data, and does not overflow.
func TestSkipOfHugeChunks(t *testing.T) {
	var d Body
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	for _, size := range []string{"0c00000000000000", "7fffffffffffffff", "7fffffffffffffff"} {
		if _, n, err := d.Next([]byte(size + "\r\n")); n != 18 || err != nil {
			t.Fatalf("Next = %d, %v", n, err)
		}
		d.Skip(d.Remaining())
		if _, n, err := d.Next([]byte("\r\n")); n != 2 || err != nil {
			t.Fatalf("Next = %d, %v", n, err)
		}
	}
}

// Skip of more bytes than are left panics.
func TestSkipOfTooMuchPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var d Body
	d.Start(Framing{ByLength, 2}, Limits{})
	d.Skip(3)
}

// After a malformed chunk every Next, and End, returns the same error and takes nothing.
func TestBodyErrorStays(t *testing.T) {
	var d Body
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	_, _, first := d.Next([]byte("x"))
	_, n, second := d.Next(nil)
	if !errors.Is(first, errChunkSize) || second != first || n != 0 || d.Done() || d.End() != first {
		t.Errorf("Next: %v, then %v; End: %v", first, second, d.End())
	}
}

// Trailer fields stay valid when the input is overwritten, and the next body does not have them.
func TestTrailerOwnsItsBytes(t *testing.T) {
	var d Body
	for range 2 { // the second body must not find anything of the first
		d.Start(Framing{Delimiter: ByChunks}, Limits{})
		in := []byte("0\r\nA: b\r\nAge: 5\r\nC: d\r\n\r\n")
		if _, n, err := d.Next(in); n != len(in) || err != nil || !d.Done() {
			t.Fatalf("Next = %d, %v", n, err)
		}
		clear(in)
		tr := d.Trailer()
		if tr.Len() != 2 || tr.GetString("a") != "b" || tr.GetString("C") != "d" || tr.Has("Age") {
			t.Errorf("trailer %q", tr.Bytes())
		}
	}
	d.Start(Framing{Delimiter: ByChunks}, Limits{})
	if d.Next([]byte("0\r\n\r\n")); d.Trailer().Len() != 0 {
		t.Errorf("trailer %q", d.Trailer().Bytes())
	}
}

// Memory grows with the bytes received, never with an announced size.
func TestClaimedSizesCostNothing(t *testing.T) {
	var d Body
	chunk := []byte("7fffffffffffffff\r\n")
	if n := testing.AllocsPerRun(10, func() {
		d.Start(Framing{ByLength, 1 << 62}, Limits{})
		d.Next([]byte("x"))
		d.Start(Framing{Delimiter: ByChunks}, Limits{})
		d.Next(chunk)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
