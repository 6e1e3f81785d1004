package httpread

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// streamed returns a body of framing f.
func streamed(f http1.Framing, limit int64) *Body {
	b := &Body{}
	b.Reset(limit)
	b.Start(f, http1.Limits{})
	return b
}

// readIn reads all of b in pieces of size bytes.
func readIn(b *Body, c Conn, size int) (string, error) {
	var got []byte
	p := make([]byte, size)
	for {
		n, err := b.Read(c, p)
		got = append(got, p[:n]...)
		if err != nil {
			return string(got), err
		}
	}
}

// sizes are of the pieces in which bodies are read; the last goes round the buffer.
var sizes = []int{1, 3, minDirectRead}

var (
	byLength = http1.Framing{Delimiter: http1.ByLength, Length: 5}
	byChunks = http1.Framing{Delimiter: http1.ByChunks}
	byClose  = http1.Framing{Delimiter: http1.ByClose}
)

// A body is read by its length, by chunks, and to the end of the connection.
func TestBody(t *testing.T) {
	for _, tc := range []struct {
		name    string
		framing http1.Framing
		text    string
		limit   int64
		want    string
		err     error // io.EOF if nil
		rule    bool  // a *http1.Error
		left    string
		trailer string
	}{
		{name: "none", text: behind, limit: -1, left: behind},
		{name: "length", framing: byLength, text: "hello" + behind, limit: -1, want: "hello", left: behind},
		{name: "length at the limit", framing: byLength, text: "hello" + behind, limit: 5, want: "hello", left: behind},
		{name: "length beyond the limit", framing: byLength, text: "hello", limit: 4, err: ErrTooLarge, left: "hello"},
		{name: "length, cut short", framing: byLength, text: "hell", limit: -1, want: "hell", err: io.ErrUnexpectedEOF},
		{name: "no length", framing: http1.Framing{Delimiter: http1.ByLength}, text: behind, limit: 0, left: behind},
		{name: "chunks", framing: byChunks, text: "3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX-T: t\r\n\r\n" + behind, limit: 5, want: "hello", left: behind, trailer: "t"},
		{name: "chunks of nothing", framing: byChunks, text: "0\r\n\r\n" + behind, limit: 0, left: behind},
		{name: "a chunk beyond the limit", framing: byChunks, text: "3\r\nhel\r\n2\r\n", limit: 4, want: "hel", err: ErrTooLarge},
		{name: "chunks, cut short", framing: byChunks, text: "3\r\nhel\r\n2", limit: -1, want: "hel", err: io.ErrUnexpectedEOF},
		{name: "chunks, malformed", framing: byChunks, text: "3\r\nhelx", limit: -1, want: "hel", rule: true},
		{name: "to the end", framing: byClose, text: "hel\nlo, and\n more", limit: -1, want: "hel\nlo, and\n more"},
		{name: "to the end, at the limit", framing: byClose, text: "hello", limit: 5, want: "hello"},
		{name: "to the end, beyond the limit", framing: byClose, text: "hello", limit: 4, want: "hell", err: ErrTooLarge},
		{name: "to the end, empty", framing: byClose, limit: 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func(c Conn, b *Body, got string, err error) {
				t.Helper()
				var wrong *http1.Error
				switch {
				case got != tc.want:
					t.Errorf("got %q, want %q", got, tc.want)
				case tc.rule && !errors.As(err, &wrong), !tc.rule && err != tc.err:
					t.Errorf("%v", err)
				case !tc.rule && err == nil && b.Err() != io.EOF, err != nil && b.Err() != err:
					t.Errorf("%v, then %v", err, b.Err())
				case b.Trailer().GetString("X-T") != tc.trailer:
					t.Errorf("trailer %q", b.Trailer().GetString("X-T"))
				case err == nil && !b.Ended():
					t.Error("not ended")
				case (err == nil || tc.left != "") && rest(t, c) != tc.left:
					t.Errorf("not all of %q is left", tc.left)
				}
			}
			cuts(t, tc.text, func(c *Buffer) {
				b := streamed(tc.framing, tc.limit)
				p, err := b.ReadAll(c, nil)
				check(c, b, string(p), err)
			})
			for _, size := range sizes {
				cuts(t, tc.text, func(c *Buffer) {
					b := streamed(tc.framing, tc.limit)
					got, err := readIn(b, c, size)
					if err == io.EOF {
						err = nil
					}
					check(c, b, got, err)
				})
			}
		})
	}
}

// A body that arrived with its head is read without the connection.
func TestBodyWhole(t *testing.T) {
	var b Body
	b.Reset(5)
	b.StartWhole([]byte("hello"))
	p := make([]byte, 3)
	if n, err := b.Read(nil, p); n != 3 || err != nil || b.Buffered() != 2 || b.Left() != 2 || b.Streamed() || !b.Ended() {
		t.Errorf("read %d, %v; buffered %d, left %d", n, err, b.Buffered(), b.Left())
	}
	if p, err := b.ReadAll(nil, nil); string(p) != "lo" || err != nil || b.Buffered() != 0 || b.Err() != io.EOF {
		t.Errorf("the rest %q, %v", p, err)
	}
	if p, err := b.ReadAll(nil, nil); len(p) > 0 || err != nil {
		t.Errorf("after it %q, %v", p, err)
	}
	if n, err := b.Read(nil, p); n != 0 || err != io.EOF || b.Trailer().Len() > 0 {
		t.Errorf("after it %d, %v", n, err)
	}
	b.Reset(4)
	b.StartWhole([]byte("hello"))
	if b.Err() != nil || b.Check() != ErrTooLarge || b.Limit() != 4 {
		t.Errorf("beyond the limit: %v", b.Err())
	}
	b.Reset(4)
	b.SetLimit(-1)
	b.StartWhole([]byte("hello"))
	if got, err := readIn(&b, nil, 2); got != "hello" || err != io.EOF {
		t.Errorf("got %q, %v", got, err)
	}
}

// The first failure of a body stays its error.
func TestBodyFail(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	b := streamed(byLength, -1)
	c := received(t, "hello", nil)
	b.Read(c, make([]byte, 2))
	b.Fail(first)
	b.Fail(second)
	if _, err := b.Read(c, make([]byte, 2)); err != first {
		t.Errorf("Read: %v", err)
	}
	if _, err := b.ReadAll(c, nil); err != first || b.Left() != 3 {
		t.Errorf("ReadAll: %v, left %d", err, b.Left())
	}
}

// The memory of ReadAll grows with the bytes that arrived, not with the announced length.
func TestReadAllMemory(t *testing.T) {
	claimed := http1.Framing{Delimiter: http1.ByLength, Length: 1 << 30} // which an int of 32 bits can count
	p, err := streamed(claimed, -1).ReadAll(received(t, strings.Repeat("x", 5000), nil), nil)
	if len(p) != 5000 || cap(p) > 16<<10 || err != io.ErrUnexpectedEOF {
		t.Errorf("%d bytes in %d, %v", len(p), cap(p), err)
	}
	room := make([]byte, 5, 8)
	p, err = streamed(byLength, -1).ReadAll(received(t, "hello", nil), room)
	if string(p) != "hello" || &p[0] != &room[0] || err != nil {
		t.Errorf("%q, %v, in other memory", p, err)
	}
	if p, err = streamed(byLength, -1).ReadAll(received(t, "hello", nil), nil); cap(p) > 8 || err != nil {
		t.Errorf("%d bytes for 5, %v", cap(p), err)
	}
}

// Reading allocates nothing for a body that arrived whole, or is read into the caller's memory.
func TestBodyAllocatesNothing(t *testing.T) {
	chunks := []byte("5\r\nhello\r\n0\r\n\r\n")
	src := bytes.NewReader(chunks)
	c, p := NewBuffer(src, 256), make([]byte, 16)
	var b Body
	n := testing.AllocsPerRun(100, func() {
		b.Reset(-1)
		b.StartWhole(chunks)
		for b.Err() == nil {
			b.Read(c, p)
		}
		src.Reset(chunks)
		b.Reset(-1)
		b.Start(byChunks, http1.Limits{})
		if p, err := b.ReadAll(c, p); string(p) != "hello" || err != nil {
			t.Error(p, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// However a body is cut into pieces, it is what http1 reads of it in one piece.
func FuzzBody(f *testing.F) {
	f.Add("3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX-T: t\r\n\r\nrest", uint8(http1.ByChunks), uint64(1), uint16(3))
	f.Add("hello, rest", uint8(http1.ByLength), uint64(2), uint16(1))
	f.Add("a\nb\n", uint8(http1.ByClose), uint64(3), uint16(4096))
	f.Add("rest", uint8(http1.NoBody), uint64(4), uint16(2))
	f.Fuzz(func(t *testing.T, s string, how uint8, seed uint64, size uint16) {
		framing := http1.Framing{Delimiter: http1.Delimiter(how % 4), Length: int64(seed % 16)}
		want, left, wantErr := decode(s, framing)
		for _, split := range []wiretest.Split{nil, wiretest.EveryByte, wiretest.Random(seed)} {
			c, b := received(t, s, split), streamed(framing, -1)
			got, err := readIn(b, c, 1+int(size))
			if err.Error() != wantErr.Error() || got != want {
				t.Errorf("%q, %v; want %q, %v", got, err, want, wantErr)
			}
			if over := rest(t, c); err == io.EOF && over != left {
				t.Errorf("%q is left, want %q", over, left)
			}
		}
	})
}

// decode is what http1 makes of a body, and of the bytes behind it.
func decode(s string, f http1.Framing) (data, left string, err error) {
	var d http1.Body
	d.Start(f, http1.Limits{})
	for in := []byte(s); ; {
		run, n, err := d.Next(in)
		data += string(run)
		in = in[n:]
		switch {
		case err != nil:
			return data, "", err
		case d.Done():
			return data, string(in), io.EOF
		case n == 0:
			if err = d.End(); err == nil {
				err = io.EOF
			}
			return data, string(in), err
		}
	}
}

// Large reads go from the connection straight into the caller's memory where no framing comes between.
func TestLargeReadsGoDirectly(t *testing.T) {
	for _, tc := range []struct {
		framing     http1.Framing
		first, then string
	}{
		{byLength, "he", "llo"},
		{byClose, "he", "llo"},
		{byChunks, "5\r\nhe", "llo"},
	} {
		c := &unfilled{Buffer: received(t, tc.first+tc.then, wiretest.At(int64(len(tc.first))))}
		c.Buffer.Fill()
		b, p := streamed(tc.framing, -1), make([]byte, minDirectRead)
		for _, want := range []string{"he", "llo"} {
			if n, err := b.Read(c, p); string(p[:n]) != want || err != nil {
				t.Errorf("%v: %q, %v; want %q", tc.framing, p[:n], err, want)
			}
		}
	}
}

// unfilled is a Buffer that does not want to be filled.
type unfilled struct{ *Buffer }

func (c *unfilled) Fill() ([]byte, error) { return nil, errors.New("filled") }
