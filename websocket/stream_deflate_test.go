package websocket

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// words returns n bytes of text that compresses moderately.
func words(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	for s.Len() < n {
		fmt.Fprintf(&s, "word%d ", rng.IntN(5000))
	}
	return s.String()[:n]
}

// Compressed messages written in parts are read whole and in parts, with takeover and without.
func TestCompressedStreams(t *testing.T) {
	for _, compression := range []Compression{NoContextTakeover, ContextTakeover} {
		cfg := Config{Compression: compression, ReadLimit: 4 << 20}
		c, s := pipe(t, cfg, cfg)
		if !c.Compressed() || !s.Compressed() {
			t.Fatal("compression was not negotiated")
		}
		for _, ends := range [][2]*Conn{{c, s}, {s, c}} {
			for _, n := range []int{0, 100, 600, 16 << 10, 16<<10 + 1, 200_000} {
				p := words(n)
				go func() {
					w, err := ends[0].NextWriter(TextMessage)
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{strings.NewReader(p)}, make([]byte, 5000)); err != nil {
						t.Error(err)
					}
					if err := w.Close(); err != nil {
						t.Error(err)
					}
					ends[0].WriteMessage(BinaryMessage, []byte(p))
					ends[0].WriteMessage(TextMessage, []byte(p))
				}()
				if typ, got, err := ends[1].ReadMessage(); typ != TextMessage || string(got) != p || err != nil {
					t.Fatalf("%v, %d bytes: got %v, %d bytes, %v", compression, n, typ, len(got), err)
				}
				for _, want := range []MessageType{BinaryMessage, TextMessage} {
					typ, body, err := ends[1].NextReader()
					if err != nil || typ != want {
						t.Fatalf("got %v, %v; want %v", typ, err, want)
					}
					if got, err := io.ReadAll(body); string(got) != p || err != nil {
						t.Fatalf("%v, %d bytes: got %d bytes, %v", compression, n, len(got), err)
					}
				}
			}
		}
	}
}

// The first frame of a compressed message has RSV1, and a short message is not compressed.
func TestCompressedFragments(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{Buffer: 1 << 20})
	cfg := Config{Compression: NoContextTakeover}
	s := cfg.settings()
	c, err := s.open(&opened{role: wsframe.Server, nc: near, agreed: agreed(t, s)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	frames := NewFrameReader(far, ClientRole, 0)
	frames.AllowRSV(RSV1)
	buf := make([]byte, 64<<10)
	for _, tc := range []struct {
		size, frames int
		rsv          RSV
	}{{511, 1, 0}, {512, 1, RSV1}, {16 << 10, 1, RSV1}, {16<<10 + 1, 2, RSV1}, {200_000, 13, RSV1}} {
		w, err := c.NextWriter(TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		for rest := words(tc.size); rest != ""; {
			n := min(len(rest), 1000)
			io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size, count := 0, 0
		for {
			f, n, err := frames.ReadFrameInto(buf)
			if err != nil {
				t.Fatal(err)
			}
			if count == 0 && f.RSV != tc.rsv {
				t.Errorf("%d bytes: first frame with %v", tc.size, f.RSV)
			}
			size += n
			if count++; f.FIN {
				break
			}
		}
		if count != tc.frames || tc.rsv != 0 && size >= tc.size {
			t.Errorf("%d bytes left as %d in %d frames, want %d", tc.size, size, count, tc.frames)
		}
	}
	frames.Close()
	far.Close()
	c.CloseNow()
	within(t, "the end", c.Done())
}

// A reader gets nothing of a compressed message beyond the limit.
func TestCompressedStreamLimit(t *testing.T) {
	cfg := Config{Compression: ContextTakeover, ReadLimit: 10_000}
	c, s := pipe(t, cfg, cfg)
	c.WriteMessage(TextMessage, []byte(words(10_000)))
	c.WriteMessage(TextMessage, []byte(letters(10_001)))
	if _, body, err := s.NextReader(); err != nil {
		t.Fatal(err)
	} else if p, err := io.ReadAll(body); string(p) != words(10_000) || err != nil {
		t.Fatal(len(p), err)
	}
	if _, _, err := s.NextReader(); !errors.Is(err, ErrTooBig) {
		t.Error(err)
	}
	if _, _, err := c.ReadMessage(); CloseStatus(err) != CloseMessageTooBig {
		t.Error(err)
	}
}

// A decompressed message that its reader has left is not part of the next one.
func TestLeftCompressedStreams(t *testing.T) {
	cfg := Config{Compression: ContextTakeover}
	c, s := pipe(t, cfg, cfg)
	for _, n := range []int{0, 10, 1999, 2000} {
		c.WriteMessage(TextMessage, []byte(words(2000)))
		c.WriteMessage(BinaryMessage, []byte(words(3000)))
		_, left, err := s.NextReader()
		if err != nil {
			t.Fatal(err)
		}
		if p := make([]byte, n); n > 0 {
			if _, err := io.ReadFull(left, p); err != nil || string(p) != words(n) {
				t.Fatal(err)
			}
		}
		if typ, p, err := s.ReadMessage(); typ != BinaryMessage || string(p) != words(3000) || err != nil {
			t.Fatal(typ, len(p), err)
		}
		if n, err := left.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Fatal(n, err)
		}
	}
}

// A compressed message without payload is refused, and its first frame may be empty.
func TestCompressedStreamWithoutPayload(t *testing.T) {
	for _, f := range faces {
		if f.callbacks {
			continue
		}
		r := f.open(t, Config{Compression: NoContextTakeover})
		r.peer.Send(frame(0x41, "") + frame(0x80, "\x00"))
		if typ, body, err := r.c.NextReaderContext(soon(t)); typ != TextMessage || err != nil {
			t.Fatal(f.name, typ, err)
		} else if p, err := io.ReadAll(body); len(p) > 0 || err != nil {
			t.Fatal(f.name, p, err)
		}
		r.peer.Send(frame(0xC1, ""))
		var refused *ProtocolError
		if _, _, err := r.c.NextReaderContext(soon(t)); !errors.As(err, &refused) {
			t.Fatal(f.name, err)
		}
	}
}
