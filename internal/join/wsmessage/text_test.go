package wsmessage

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// ways are all ways to take a message, size bytes at a time. They return what of it was taken, and the error with which that has ended.
var ways = map[string]func(in []byte, size int) (string, error){
	"whole": func(in []byte, size int) (string, error) { return takeAll((*Assembler).Take, nil, in, size) },
	"into a slice": func(in []byte, size int) (string, error) {
		return takeAll((*Assembler).Take, make([]byte, 100), in, size)
	},
	"parts": func(in []byte, size int) (string, error) {
		return takeAll((*Assembler).TakePart, make([]byte, 100), in, size)
	},
	"in place": func(in []byte, size int) (string, error) {
		return takeAll(func(a *Assembler, b, dst []byte) (e Event, p []byte, n int, err error) {
			if !a.InFrame() {
				n, err := a.Begin(b)
				if n == 0 || err != nil || a.Left() > 0 {
					return Nothing, nil, n, err
				}
				e, p, _, err = a.TakeInPlace(nil, dst) // an empty frame
				return e, p, n, err
			}
			return a.TakeInPlace(b, dst)
		}, nil, in, size)
	},
	"received to its place": func(in []byte, size int) (got string, err error) {
		a := newAssembler(0, 0)
		defer a.Drop()
		for len(in) > 0 {
			if !a.InFrame() {
				n, err := a.Begin(in)
				if err != nil {
					return got, err
				}
				in = in[n:]
			}
			space := a.ReceiveSpace()
			n := copy(space[:min(size, len(space))], in)
			in = in[n:]
			p, done, err := a.Received(space, n)
			if err != nil {
				return got, err
			}
			if done {
				got += string(p)
				a.Release()
			}
		}
		return got, nil
	},
}

// takeAll takes messages by take.
func takeAll(take func(a *Assembler, b, dst []byte) (Event, []byte, int, error), dst, in []byte, size int) (got string, err error) {
	a := newAssembler(0, 0)
	defer a.Drop()
	var b []byte
	for len(in) > 0 || len(b) > 0 {
		n := min(size, len(in))
		b, in = append(b, in[:n]...), in[n:]
		e, p, n, err := take(a, b, dst)
		if err != nil {
			return got, err
		}
		if b = b[n:]; e != Nothing {
			got += string(p)
			a.Release()
		}
		if n == 0 && len(in) == 0 && len(b) > 0 {
			return got, nil
		}
	}
	return got, nil
}

// TestText: a text message is UTF-8 as a whole, however it is cut, and in whatever way it is taken; binary is not looked at.
func TestText(t *testing.T) {
	for in, want := range map[string]error{
		frame(0x81, "añ€😀z"):                                          nil,
		frame(0x81, ""):                                               nil,
		frame(0x01, "a\xe2\x82") + frame(0x80, "\xac"):                nil, // a character across frames
		frame(0x81, "\xff"):                                           ErrText,
		frame(0x81, "abcdefghijklmnopqrstuvwxyz\xc0\x80abcdef"):       ErrText,
		frame(0x81, "a\xe2\x82"):                                      ErrText, // ends inside a character
		frame(0x01, "a\xe2") + frame(0x80, "b"):                       ErrText,
		frame(0x01, "a\xe2") + frame(0x80, ""):                        ErrText,
		frame(0x01, "a") + frame(0x80, "\xe2"):                        ErrText,
		frame(0x82, "\xff\xe2"):                                       nil,
		frame(0x02, "\xff") + frame(0x80, "\xe2"):                     nil,
		frame(0x02, "\xff") + frame(0x80, "\xe2") + frame(0x81, "ok"): nil,
		frame(0x01, "a") + frame(0x80, "b") + frame(0x81, "\xff"):     ErrText,
	} {
		plain := ""
		for rest := []byte(in); len(rest) > 0; { // the payload of all frames
			h, n, err := wsframe.Parse(rest)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range rest[n : n+int(h.Length)] {
				plain += string([]byte{c ^ byte(h.Key>>(8*(i%4)))})
			}
			rest = rest[n+int(h.Length):]
		}
		for name, way := range ways {
			for size := 1; size <= len(in); size++ {
				got, err := way([]byte(in), size)
				switch {
				case want == nil && (err != nil || got != plain):
					t.Errorf("%q %s, %d bytes at a time: %q, %v", plain, name, size, got, err)
				case want != nil && err != want:
					t.Errorf("%q %s, %d bytes at a time: %q, %v, want an error", plain, name, size, got, err)
				}
			}
		}
	}
}

// TestContent: the content of a compressed message is checked, too.
func TestContent(t *testing.T) {
	for content, want := range map[string]error{"ok": nil, "\xff": ErrText} {
		for first, want := range map[byte]error{0xC1: want, 0xC2: nil} {
			a := newAssembler(wsframe.RSV1, 0)
			in := []byte(frame(first, "\xff\xff")) // compressed: not looked at
			e, p, n, err := a.Take(in, nil)
			if e != Message || string(p) != "\xff\xff" || n != len(in) || err != nil || !a.Compressed() {
				t.Fatalf("%q, %v", p, err)
			}
			if err := a.SetContent([]byte(content)); err != want || string(a.Gathered()) != content {
				t.Errorf("%x %q: %v, want %v", first, content, err, want)
			}
			a.Release()
			if a.Gathered() != nil {
				t.Error("the content is still held")
			}
		}
	}
}
