package websocket

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// pulled are the faces whose messages a goroutine of the test reads.
func onPulled(t *testing.T, f func(t *testing.T, f face)) {
	t.Helper()
	for _, face := range faces {
		if !face.callbacks {
			t.Run(face.name, func(t *testing.T) { f(t, face) })
		}
	}
}

func (r *rig) nextReader() (MessageType, io.Reader) {
	r.t.Helper()
	typ, body, err := r.c.NextReader()
	if err != nil {
		r.t.Fatal(err)
	}
	return typ, body
}

func (r *rig) wantStream(typ MessageType, want string) {
	r.t.Helper()
	got, body := r.nextReader()
	p, err := io.ReadAll(body)
	if got != typ || string(p) != want || err != nil {
		r.t.Fatalf("%v message of %d bytes (%.40q), %v; want %v, %d bytes", got, len(p), p, err, typ, len(want))
	}
	if n, err := body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		r.t.Fatalf("after the end: got %d bytes, %v", n, err)
	}
}

// Messages of both types and all lengths are read in parts.
func TestStreams(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		for _, n := range []int{0, 1, 125, 126, 1000, 16 << 10, 70_000, 300_000} {
			if f.split != nil && n > 1000 {
				break
			}
			p := letters(n)
			go io.WriteString(r.peer.Conn, text(p)+frame(0x02, "")+frame(0x00, p[:n/2])+frame(0x00, "")+frame(0x00, p[n/2:])+frame(0x80, ""))
			r.wantStream(TextMessage, p)
			r.wantStream(BinaryMessage, p)
		}
		r.peer.Send(text("Hello") + binaryF("again"))
		if typ, p, err := r.c.ReadMessage(); typ != TextMessage || string(p) != "Hello" || err != nil {
			t.Fatal(typ, p, err)
		}
		r.wantStream(BinaryMessage, "again")
	})
}

// A reader gets what has arrived, without waiting for the rest.
func TestStreamIsRead(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.peer.Send(frame(0x01, "Hello, ") + frame(0x00, "world")[:8])
		_, body := r.nextReader()
		p := make([]byte, 9)
		if n, err := io.ReadFull(body, p); n != 9 || err != nil || string(p) != "Hello, wo" {
			t.Fatalf(`got %q, %v; want "Hello, wo"`, p[:n], err)
		}
		r.peer.Send(frame(0x00, "world")[8:] + frame(0x89, "still there?"))
		if n, err := io.ReadFull(body, p[:3]); err != nil || string(p[:3]) != "rld" {
			t.Fatalf(`got %q, %v; want "rld"`, p[:n], err)
		}
		r.c.SetReadDeadline(time.Now().Add(patience))
		read := make(chan error, 1)
		go func() {
			_, err := body.Read(p)
			read <- err
		}()
		r.peer.Want(bare(0x8A, "still there?"))
		r.peer.Send(frame(0x80, ""))
		if err := <-read; err != io.EOF {
			t.Errorf("got %v, want %v", err, io.EOF)
		}
	})
}

// A message that was too long for a buffer, or that a deadline cut off, can be read by a reader.
func TestStreamAfterMessage(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{ReadLimit: 200})
		r.peer.Send(text(letters(200)) + text("next"))
		if _, n, err := r.c.ReadMessageInto(make([]byte, 10)); n != 200 || err != io.ErrShortBuffer {
			t.Fatal(n, err)
		}
		r.wantStream(TextMessage, letters(200))
		r.wantStream(TextMessage, "next")

		r.peer.Send(frame(0x01, letters(100)) + frame(0x00, letters(100))[:50])
		r.cutOff(func() error { _, _, err := r.c.ReadMessage(); return err })
		_, body := r.nextReader()
		p := make([]byte, 120)
		if _, err := io.ReadFull(body, p); err != nil || string(p) != letters(100)+letters(20) {
			t.Fatalf("got %q, %v; want %q", p, err, letters(100)+letters(20))
		}
		r.cutOff(func() error { _, err := io.ReadFull(body, make([]byte, 80)); return err })
		r.peer.Send(frame(0x00, letters(100))[50:] + frame(0x80, ""))
		if rest, err := io.ReadAll(body); !strings.HasSuffix(letters(100), string(rest)) || err != nil {
			t.Fatalf("got %q, %v; want the end of %q", rest, err, letters(100))
		}
		r.peer.Send(text("next"))
		r.wantStream(TextMessage, "next")
	})
}

// cutOff expects that f runs into the read deadline once all that was sent has been read.
func (r *rig) cutOff(f func() error) {
	r.t.Helper()
	r.c.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	if err := f(); !errors.Is(err, os.ErrDeadlineExceeded) {
		r.t.Fatalf("%v, want a passed deadline", err)
	}
	r.c.SetReadDeadline(time.Time{})
}

// A message is read in parts however its bytes are cut.
func TestStreamSplitAnywhere(t *testing.T) {
	all := frame(0x01, "Hel") + frame(0x89, "ping") + frame(0x00, "") + frame(0x80, "lo €") + binaryF(letters(130))
	for cut := range int64(len(all)) {
		f := face{split: wiretest.At(cut)}
		t.Run("", func(t *testing.T) {
			r := f.open(t, Config{})
			r.peer.Send(all)
			_, body := r.nextReader()
			p, err := io.ReadAll(iotest.OneByteReader(body))
			if string(p) != "Hello €" || err != nil {
				t.Fatalf(`got %q, %v; want "Hello €"`, p, err)
			}
			r.wantStream(BinaryMessage, letters(130))
			r.peer.Want(bare(0x8A, "ping"))
		})
	}
}

// NextReader fails with Config.OnMessage.
func TestNoStreamWithCallbacks(t *testing.T) {
	r := faces[1].open(t, Config{OnMessage: func(*Conn, MessageType, []byte) {}})
	if _, _, err := r.c.NextReader(); err == nil {
		t.Error("NextReader with callbacks: got no error")
	}
}
