package lenframe

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// feed passes the pieces to r one after another, and returns the events as lines: the kind, its payload in hexadecimal
// digits or its length if it is long, and last how the stream ended.
func feed(t testing.TB, r *Reader, pieces ...[]byte) (log []string) {
	t.Helper()
	for _, b := range pieces {
		for {
			e, p, n, err := r.Next(b[:len(b):len(b)])
			if err != nil {
				if e != Nothing || p != nil || n != 0 {
					t.Fatalf("%v with %x, took %d: %v", e, p, n, err)
				}
				return append(log, err.Error())
			}
			if e == Nothing {
				if n != len(b) || p != nil {
					t.Fatalf("nothing, but took %d of %d bytes for %x", n, len(b), p)
				}
				break
			}
			if cap(p) != len(p) {
				t.Fatalf("%v: payload of %d bytes with room for %d", e, len(p), cap(p))
			}
			line := fmt.Sprintf("%v %x", e, p)
			if e == Begin {
				line = fmt.Sprintf("%v %d %x", e, r.Length(), p)
			}
			log = append(log, strings.TrimSpace(line))
			b = b[n:]
		}
	}
	return append(log, r.Ended().Error())
}

// Pieces are separated by "|".
var conversations = []struct {
	name, wire string
	max        uint32
	want       string
}{
	{"nothing", "", 0, "EOF"},
	{"nothing in several pieces", "||", 0, "EOF"},
	{"one message", "00000005 68656c6c6f", 0, "message 68656c6c6f, EOF"},
	{"two messages", "00000001 61 00000002 6263", 0, "message 61, message 6263, EOF"},
	{"empty messages", "00000000 00000000 00000001 61 00000000", 0, "message, message, message 61, message, EOF"},
	{"empty message, header in two pieces", "0000 | 0000", 0, "message, EOF"},
	{"header by itself", "00000002 | 6162", 0, "begin 2, end 6162, EOF"},
	{"header in pieces", "00 || 00 | 00 | 02 | 6162", 0, "begin 2, end 6162, EOF"},
	{"header in two pieces, payload whole", "000000 | 02 6162 00000001 63", 0, "message 6162, message 63, EOF"},
	{"header in two pieces, payload begun", "000000 | 02 61 | 62", 0, "begin 2 61, end 62, EOF"},
	{"payload in pieces", "00000004 61 | 62 | 63 || 64", 0, "begin 4 61, piece 62, piece 63, end 64, EOF"},
	{"end and the next begins", "00000002 61 | 62 00000000 00000003 6364 | 65 0000", 0, "begin 2 61, end 62, message, begin 3 6364, end 65, unexpected EOF"},
	{"header behind a header in pieces", "00 | 000001 61 00 | 000002 6263 ff", 0, "message 61, message 6263, unexpected EOF"},

	{"as long as is taken", "00000002 6162 | 000000 | 02 6364", 2, "message 6162, message 6364, EOF"},
	{"too long", "00000003 616263", 2, "message too large: 3 bytes, at most 2 are taken"},
	{"too long, header in pieces", "0000 | 0003", 2, "message too large: 3 bytes, at most 2 are taken"},
	{"too long, behind a message", "00000001 61 00000003", 2, "message 61, message too large: 3 bytes, at most 2 are taken"},
	{"too long, behind pieces", "00000002 61 | 62 00000003", 2, "begin 2 61, end 62, message too large: 3 bytes, at most 2 are taken"},
	{"the longest length", "ffffffff", MaxLength - 1, "message too large: 4294967295 bytes, at most 4294967294 are taken"},
	{"the longest length, taken", "ffffffff 61 | 62", MaxLength, "begin 4294967295 61, piece 62, unexpected EOF"},
	{"the longest length, no limit", "ffffffff 61 | 62", 0, "begin 4294967295 61, piece 62, unexpected EOF"},
	{"2^31", "80000000 | 61", 0, "begin 2147483648, piece 61, unexpected EOF"},

	{"cut after one byte of a header", "00", 0, "unexpected EOF"},
	{"cut after three bytes of a header", "00000001 61 000000", 0, "message 61, unexpected EOF"},
	{"cut behind a header", "00000001", 0, "begin 1, unexpected EOF"},
	{"cut in a payload", "00000002 61", 0, "begin 2 61, unexpected EOF"},
	{"cut in a second piece", "00000003 61 | 62", 0, "begin 3 61, piece 62, unexpected EOF"},
}

// A Reader returns the events of the table for each stream.
func TestConversations(t *testing.T) {
	for _, g := range conversations {
		var pieces [][]byte
		for _, s := range strings.Split(g.wire, "|") {
			pieces = append(pieces, bytesOf(t, s))
		}
		if got := strings.Join(feed(t, &Reader{MaxMessage: g.max}, pieces...), ", "); got != g.want {
			t.Errorf("%s:\n got %s\nwant %s", g.name, got, g.want)
		}
	}
}

// A stream gives the same messages when it is cut at any two places.
func TestCutAtEveryByte(t *testing.T) {
	for _, g := range conversations {
		wire := bytesOf(t, strings.ReplaceAll(g.wire, "|", ""))
		want := oracle(wire, g.max)
		for i := range len(wire) + 1 {
			for j := i; j <= len(wire); j++ {
				if got := gather(t, &Reader{MaxMessage: g.max}, wire[:i], wire[i:j], wire[j:]); got != want {
					t.Fatalf("%s, cut at %d and %d:\n got %s\nwant %s", g.name, i, j, got, want)
				}
			}
		}
		var single [][]byte
		for i := range wire {
			single = append(single, wire[i:i+1])
		}
		if got := gather(t, &Reader{MaxMessage: g.max}, single...); got != want {
			t.Fatalf("%s, byte by byte:\n got %s\nwant %s", g.name, got, want)
		}
	}
}

// The error of a stream is final: nothing that follows is taken for a message.
func TestTheErrorStays(t *testing.T) {
	for _, pieces := range [][]string{{"00000006 00000001 61"}, {"00", "00", "00", "06"}} {
		r := Reader{MaxMessage: 5}
		var first error
		for _, p := range pieces {
			_, _, _, first = r.Next(bytesOf(t, p))
		}
		wantTooLarge(t, first, 6, 5, shockwave.Peer)
		r.MaxMessage = 0
		for _, p := range []string{"", "00", "00000000", "00000001 61", "00000006 616161616161"} {
			if e, b, n, err := r.Next(bytesOf(t, p)); e != Nothing || b != nil || n != 0 || err != first {
				t.Errorf("%q after the end: %v %x %d %v", p, e, b, n, err)
			}
		}
		if err := r.Ended(); err != first {
			t.Errorf("the stream ended with %v", err)
		}
		if r.Between() {
			t.Error("between two messages")
		}
	}
}

// A limit holds for the headers that are read after it was set.
func TestTheLimitChanges(t *testing.T) {
	r := Reader{MaxMessage: 5}
	if e, _, _, err := r.Next(bytesOf(t, "00000005 6162")); e != Begin || err != nil {
		t.Fatal(e, err)
	}
	r.MaxMessage = 1
	if e, _, _, err := r.Next(bytesOf(t, "636465")); e != End || err != nil {
		t.Fatal(e, err)
	}
	_, _, _, err := r.Next(bytesOf(t, "00000002 6162"))
	wantTooLarge(t, err, 2, 1, shockwave.Peer)
}

// A Reader reports its state between the events.
func TestWhereTheReaderIs(t *testing.T) {
	var r Reader
	for _, step := range []struct {
		wire         string
		event        Event
		length, left uint32
		between      bool
	}{
		{"", Nothing, 0, 0, true},
		{"00", Nothing, 0, 0, false},
		{"000005", Begin, 5, 5, false},
		{"6162", Piece, 5, 3, false},
		{"", Nothing, 5, 3, false},
		{"63", Piece, 5, 2, false},
		{"6465 00", End, 5, 0, true},
		{"00 00", Nothing, 5, 0, false},
		{"00 03 61", Begin, 3, 2, false},
		{"6263", End, 3, 0, true},
		{"00000001 61", Message, 3, 0, true},
	} {
		e, _, _, err := r.Next(bytesOf(t, step.wire))
		if e != step.event || err != nil || r.Length() != step.length || r.Left() != step.left || r.Between() != step.between {
			t.Fatalf("%q: %v, %v, length %d, left %d, between %v; want %+v", step.wire, e, err, r.Length(), r.Left(), r.Between(), step)
		}
		want := io.ErrUnexpectedEOF
		if step.between {
			want = io.EOF
		}
		if err := r.Ended(); err != want {
			t.Fatalf("%q: ended with %v, want %v", step.wire, err, want)
		}
	}
}

// Payloads are slices of the input: nothing is copied.
func TestPayloadsAreNotCopied(t *testing.T) {
	var r Reader
	for _, step := range []struct {
		wire string
		at   int
	}{{"00000001 61", 4}, {"0000", -1}, {"0003 6162", 2}, {"63 00000001 64", 0}} {
		b := bytesOf(t, step.wire)
		if _, p, _, err := r.Next(b); err != nil || step.at >= 0 && &p[0] != &b[step.at] {
			t.Errorf("%q: %x, %v", step.wire, p, err)
		}
	}
}

// Events have names.
func TestNamesOfEvents(t *testing.T) {
	var names []string
	for e := Nothing; e <= End; e++ {
		names = append(names, e.String())
	}
	if got := strings.Join(names, " "); got != "nothing message begin piece end" {
		t.Error(got)
	}
}

// gather puts pieces together as a user of a Reader does, and checks that they come in order.
func gather(t testing.TB, r *Reader, pieces ...[]byte) string {
	t.Helper()
	var log strings.Builder
	var msg []byte
	open := false
	for _, b := range pieces {
		for {
			e, p, n, err := r.Next(b[:len(b):len(b)])
			if n > len(b) || n < len(p) || e != Nothing && n == 0 {
				t.Fatalf("%v took %d of %d bytes for a payload of %d", e, n, len(b), len(p))
			}
			if err != nil {
				var tooLarge *Error
				if open || !errors.As(err, &tooLarge) {
					t.Fatalf("inside a message %v: %v", open, err)
				}
				fmt.Fprintf(&log, "too large %d", tooLarge.Length)
				return log.String()
			}
			b = b[n:]
			starts, ends := e == Begin || e == Message, e == End || e == Message
			if e != Nothing && starts == open || (e == Piece || e == End) && len(p) == 0 {
				t.Fatalf("%v with %d bytes, inside a message %v", e, len(p), open)
			}
			if starts {
				msg = msg[:0]
			}
			if msg = append(msg, p...); ends {
				fmt.Fprintf(&log, "%x, ", msg)
			}
			if e == Nothing {
				if len(b) > 0 {
					t.Fatalf("%d bytes were left", len(b))
				}
				break
			}
			if open = !ends; open && int(r.Length())-int(r.Left()) != len(msg) {
				t.Fatalf("%d of %d bytes left, but %d have come", r.Left(), r.Length(), len(msg))
			}
		}
	}
	log.WriteString(r.Ended().Error())
	return log.String()
}
