package wsmessage

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// TestLimit: a message may be as long as the limit, in all its frames together; a new limit counts from the next frame on, control frames do not
// count.
func TestLimit(t *testing.T) {
	for in, want := range map[string]error{
		frame(0x82, "12345"):                                              nil,
		frame(0x82, "123456"):                                             ErrTooBig,
		frame(0x02, "123") + frame(0x80, "45"):                            nil,
		frame(0x02, "123") + frame(0x80, "456"):                           ErrTooBig,
		frame(0x89, "longer than that"):                                   nil,
		frame(0x02, "123") + frame(0x89, "ping ping") + frame(0x80, "45"): nil,
		frame(0x82, "12345") + frame(0x82, "12345"):                       nil,
	} {
		for name, part := range map[string]bool{"whole": false, "parts": true} {
			a := newAssembler(0, 5)
			if a.Limit() != 5 {
				t.Fatal("another limit")
			}
			var err error
			for b := []byte(in); len(b) > 0 && err == nil; {
				var n int
				if part {
					_, _, n, err = a.TakePart(b, make([]byte, 2))
				} else {
					_, _, n, err = a.Take(b, nil)
				}
				b = b[n:]
				a.Release()
			}
			if err != want {
				t.Errorf("%q, %s: %v, want %v", in, name, err, want)
			}
		}
	}
	a := newAssembler(0, 5)
	first := []byte(frame(0x02, "123"))
	if _, _, n, err := a.Take(first, nil); n != len(first) || err != nil {
		t.Fatal(err)
	}
	if p := a.Gathered(); string(p) != "123" || a.PassGathered() {
		t.Errorf("%q is a whole message", p)
	}
	if _, _, _, err := a.TakePart([]byte(frame(0x80, "456")), make([]byte, 9)); err != ErrTooBig {
		t.Errorf("what was handed out does not count: %v", err)
	}
	b := newAssembler(0, 5)
	b.SetLimit(2)
	if _, _, _, err := b.Take([]byte(frame(0x82, "123")), nil); err != ErrTooBig {
		t.Errorf("the new limit does not count: %v", err)
	}
}

// TestSlice: a message of one frame that fits is put into the reader's slice, also in pieces; the bytes behind its end stay as they are.
// KeepLent gives the slice back in between.
func TestSlice(t *testing.T) {
	for _, back := range []bool{false, true} {
		for _, payload := range []string{"12345", "123456", "1234567"} {
			for cut := range len(payload) {
				in := []byte(frame(0x82, payload))
				dst := []byte("______")
				a := newAssembler(0, 0)
				at := len(in) - len(payload) + cut
				e, p, n, err := a.Take(in[:at], dst)
				if e != Nothing || err != nil {
					t.Fatalf("%q of %q: %v", p, payload, err)
				}
				if back {
					a.KeepLent()
				}
				e, p, _, err = a.Take(in[n:], dst)
				if e != Message || string(p) != payload || err != nil {
					t.Fatalf("%q of %q: %v", p, payload, err)
				}
				inDst := &p[0] == &dst[0]
				if want := len(payload) <= len(dst) && (cut == 0 || !back); cut > 0 && inDst != want {
					t.Errorf("%q cut at %d, given back: %t: in the reader's slice: %t", payload, cut, back, inDst)
				}
				if want := "______"; inDst && string(dst[len(p):]) != want[len(p):] {
					t.Errorf("%q behind a message", dst[len(p):])
				}
				a.Drop()
			}
		}
	}
}

// TestWhole: a message that arrives whole is put into the reader's slice if it fits, and stays where it is if not, masked or not.
func TestWhole(t *testing.T) {
	for role, key := range map[wsframe.Role]uint32{wsframe.Server: 0x04030201, wsframe.Client: 0} {
		for _, opcode := range []wsframe.Opcode{wsframe.Text, wsframe.Binary} {
			for _, payload := range []string{"12345", "123456", "1234567"} {
				in := wsframe.Append(nil, wsframe.Header{Kind: wsframe.Final(opcode), Masked: role == wsframe.Server, Key: key, Length: int64(len(payload))})
				at := len(in)
				in = append(in, payload...)
				mask.XOR(in[at:], in[at:], key)
				a := new(Assembler)
				a.Init(role, 0, 0)
				dst := make([]byte, 6)
				e, p, n, err := a.Take(in, dst)
				if e != Message || string(p) != payload || n != len(in) || err != nil {
					t.Fatalf("%v, %q: %q, %v", role, payload, p, err)
				}
				to := &in[at]
				if len(payload) <= len(dst) {
					to = &dst[0]
				}
				if &p[0] != to {
					t.Errorf("%v, %v, %q lies elsewhere", role, opcode, payload)
				}
			}
		}
	}
	a := newAssembler(0, 0)
	dst := []byte("______")
	_, _, n, _ := a.Take([]byte(frame(0x02, "12")), dst)
	if e, p, _, err := a.Take([]byte(frame(0x80, "345")), dst); n != 8 || e != Message || string(p) != "12345" || err != nil || string(dst) != "______" {
		t.Errorf("two frames: %q, %v, and %q in the reader's slice", p, err, dst)
	}
}

// TestMalformed: what is wrong with a frame is told, whoever takes its header.
func TestMalformed(t *testing.T) {
	for name, in := range map[string]string{"opcode": "\x8f\x80", "order": frame(0x80, "x"), "unmasked": "\x82\x00"} {
		for way, take := range map[string]func(a *Assembler) error{
			"Take":     func(a *Assembler) error { _, _, _, err := a.Take([]byte(in), nil); return err },
			"TakePart": func(a *Assembler) error { _, _, _, err := a.TakePart([]byte(in), nil); return err },
			"Begin":    func(a *Assembler) error { _, err := a.Begin([]byte(in)); return err },
		} {
			if _, ok := take(newAssembler(0, 0)).(*wsframe.Error); !ok {
				t.Errorf("%s, %s: no error", name, way)
			}
		}
	}
}

// TestKeep: a message that was kept is found again, once, wherever it lay.
func TestKeep(t *testing.T) {
	for name, split := range map[string]bool{"in place": false, "gathered": true} {
		a := newAssembler(0, 0)
		in := []byte(frame(0x82, "kept"))
		n := 0
		if split {
			_, _, n, _ = a.Take(in[:7], nil)
		}
		_, p, _, err := a.Take(in[n:], nil)
		if err != nil {
			t.Fatal(err)
		}
		a.Keep(p)
		a.Release()
		copy(in, strings.Repeat("x", len(in)))
		if !a.Kept() || string(a.Gathered()) != "kept" {
			t.Errorf("%s: %q", name, a.Gathered())
		}
		if got := a.TakeKept(); string(got) != "kept" || a.Kept() {
			t.Errorf("%s: %q", name, got)
		}
		if a.Release(); a.Held() != 0 {
			t.Errorf("%s: it is held for ever", name)
		}
		_, p, _, _ = a.Take([]byte(frame(0x82, "whole")), nil)
		a.Keep(p)
		if !a.PassGathered() || a.Kept() || a.Held() != 0 {
			t.Errorf("%s: it is no whole message, or kept on", name)
		}
	}
}

// TestBegun: a message has begun behind the header of its first frame, and until its last one; between messages there is nothing.
func TestBegun(t *testing.T) {
	a := newAssembler(0, 0)
	for _, c := range []struct {
		in             string
		begun, between bool
	}{
		{"", false, true}, {frame(0x89, "ping")[:7], false, false}, {frame(0x89, "ping")[7:], false, true}, {frame(0x02, "ab")[:7], true, false},
		{frame(0x02, "ab")[7:], true, false}, {frame(0x8A, ""), true, false}, {frame(0x80, "")[:5], true, false}, {frame(0x80, "x"), false, true},
	} {
		b := []byte(c.in)
		for n := 1; n > 0 && len(b) > 0; b = b[n:] {
			_, _, n, _ = a.Take(b, nil)
			a.Release()
		}
		if a.Begun() != c.begun || a.Between() != c.between {
			t.Errorf("behind %x: begun %t, between %t", c.in, a.Begun(), a.Between())
		}
	}
}

// TestFrameFollows: bytes begin with a whole frame, or with one that is malformed.
func TestFrameFollows(t *testing.T) {
	whole := frame(0x82, "whole")
	for in, want := range map[string]bool{
		"": false, whole[:1]: false, whole[:6]: false, whole[:len(whole)-1]: false, whole: true, whole + "more": true, "\x8f\x00": true,
		string(wsframe.Append(nil, headerOf(0))): true,
	} {
		if got := FrameFollows([]byte(in)); got != want {
			t.Errorf("%x: %t", in, got)
		}
	}
}

// TestReadsDirectly: only a frame of which much is missing is received to its place, and memory grows with what has arrived.
func TestReadsDirectly(t *testing.T) {
	for _, c := range []struct {
		length int64
		want   bool
	}{{DirectMin, true}, {DirectMin - 1, false}, {1 << 30, true}} {
		a := newAssembler(0, 0)
		if a.ReadsDirectly() {
			t.Error("between frames")
		}
		if _, err := a.Begin(wsframe.Append(nil, headerOf(c.length))); err != nil {
			t.Fatal(err)
		}
		if a.ReadsDirectly() != c.want || a.Left() != c.length {
			t.Errorf("%d bytes: %t, %d are missing", c.length, a.ReadsDirectly(), a.Left())
		}
		if c.length < 1<<30 {
			continue
		}
		for got := 0; got < 1<<20; {
			space := a.ReceiveSpace()
			if len(space) > max(DirectMin, 2*got) {
				t.Fatalf("space for %d bytes behind %d", len(space), got)
			}
			if _, done, err := a.Received(space, len(space)); done || err != nil {
				t.Fatal(done, err)
			}
			if got += len(space); a.Held() != got || a.Left() != c.length-int64(got) {
				t.Fatalf("%d bytes of %d are held", a.Held(), got)
			}
		}
		a.Drop()
	}
}
