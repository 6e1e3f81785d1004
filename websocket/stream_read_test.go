package websocket

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/shockwave-go/shockwave/internal/wiretest"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// pulled are the faces whose messages are read by a goroutine of ours.
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
		r.t.Fatalf("behind the end: %d bytes, %v", n, err)
	}
}

// TestStreams: messages of both types and every form of length, whole and in fragments, are read as they come.
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

// TestStreamIsRead: a reader gets what has come, without waiting for the rest.
func TestStreamIsRead(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.peer.Send(frame(0x01, "Hello, ") + frame(0x00, "world")[:8])
		_, body := r.nextReader()
		p := make([]byte, 9)
		if n, err := io.ReadFull(body, p); n != 9 || err != nil || string(p) != "Hello, wo" {
			t.Fatalf("%q, %v", p[:n], err)
		}
		r.peer.Send(frame(0x00, "world")[8:] + frame(0x89, "still there?"))
		if n, err := io.ReadFull(body, p[:3]); err != nil || string(p[:3]) != "rld" {
			t.Fatalf("%q, %v", p[:n], err)
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
			t.Error(err)
		}
	})
}

// TestStreamLimits: what breaks a rule ends a message at its bad byte, and the limit counts what has been handed out.
func TestStreamLimits(t *testing.T) {
	for _, tc := range []struct {
		name, sent string
		read       string
		code       CloseCode
	}{
		{"a frame beyond the limit", binaryF(letters(2001)), "", CloseMessageTooBig},
		{"fragments beyond the limit", frame(0x02, letters(1500)) + frame(0x00, letters(501)), letters(1500), CloseMessageTooBig},
		{"empty fragments", frame(0x02, "caf") + strings.Repeat(frame(0x00, ""), 129), "caf", ClosePolicyViolation},
		{"a bad byte, at once", frame(0x01, "caf\xC3") + frame(0x00, "e"), "caf\xC3", CloseInvalidPayload},
		{"text cut inside a code point", frame(0x01, "caf\xC3") + frame(0x80, ""), "caf\xC3", CloseInvalidPayload},
		{"an unmasked fragment", frame(0x01, "caf") + bare(0x80, "e"), "caf", CloseProtocolError},
		{"a message in a message", frame(0x01, "caf") + text("e"), "caf", CloseProtocolError},
		{"a close frame in a message", frame(0x01, "caf") + closeFrame(CloseGoingAway, ""), "caf", CloseGoingAway},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, f face) {
				r := f.open(t, Config{ReadLimit: 2000})
				r.peer.Send(tc.sent)
				_, body, err := r.c.NextReader()
				var p []byte
				if err == nil {
					p, err = io.ReadAll(body)
				}
				if string(p) != tc.read || err == nil {
					t.Errorf("read %q and %v", p, err)
				}
				r.wantClose(tc.code)
				if r.c.Err() != err {
					t.Errorf("ended with %v, not with %v", r.c.Err(), err)
				}
			})
		})
	}
}

// TestStreamLimitOfOne: the limit is of a message, not of all of them.
func TestStreamLimitOfOne(t *testing.T) {
	r := faces[0].open(t, Config{ReadLimit: 100})
	for range 5 {
		r.peer.Send(frame(0x02, letters(60)) + frame(0x80, letters(40)))
		r.wantStream(BinaryMessage, letters(60)+letters(40))
	}
}

// TestLeftStreams: who goes on to the next message leaves the rest of the last one.
func TestLeftStreams(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		for _, read := range []int{0, 1, 5, 9, 10} {
			r.peer.Send(frame(0x01, "12345") + frame(0x89, "?") + frame(0x80, "67890") + text("next") + text("last"))
			_, left := r.nextReader()
			if p := make([]byte, read); read > 0 {
				if _, err := io.ReadFull(left, p); err != nil {
					t.Fatal(err)
				}
			}
			r.wantStream(TextMessage, "next")
			r.peer.Want(bare(0x8A, "?"))
			if n, err := left.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Fatalf("a reader that was left gives %d bytes, %v", n, err)
			}
			if _, p, err := r.c.ReadMessage(); string(p) != "last" || err != nil {
				t.Fatalf("%q, %v", p, err)
			}
		}
		r.peer.Send(frame(0x01, "never "))
		r.nextReader()
		r.peer.Send(frame(0x80, "mind") + text("next"))
		if _, p, err := r.c.ReadMessage(); string(p) != "next" || err != nil {
			t.Fatalf("%q, %v", p, err)
		}
	})
}

// TestLeftTextIsChecked: dropping the rest of a message is no reason to take what is not UTF-8.
func TestLeftTextIsChecked(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.peer.Send(frame(0x01, "good") + frame(0x80, "\xFF") + text("next"))
	r.nextReader()
	if _, _, err := r.c.NextReader(); !errors.Is(err, errText) {
		t.Error(err)
	}
	r.wantClose(CloseInvalidPayload)
}

// TestStreamAfterMessage: a message that was too long for a buffer, or that a deadline cut off, can be read by a reader.
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
			t.Fatalf("%q, %v", p, err)
		}
		r.cutOff(func() error { _, err := io.ReadFull(body, make([]byte, 80)); return err })
		r.peer.Send(frame(0x00, letters(100))[50:] + frame(0x80, ""))
		if rest, err := io.ReadAll(body); !strings.HasSuffix(letters(100), string(rest)) || err != nil {
			t.Fatalf("%q, %v", rest, err)
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

// TestStreamMemory: of a message without a bound no more than a buffer is held.
func TestStreamMemory(t *testing.T) {
	var before, after runtime.MemStats
	huge := "\x82\xFF\x00\x00\x7F\x00\x00\x00\x00\x00\x01\x02\x03\x04" + letters(4096)
	r, err := Config{ReadLimit: -1}.settings().open(wsframe.Server, &endless{bytes: huge}, nil, &accepted{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := r.NextReader()
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 3000)
	runtime.ReadMemStats(&before)
	if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(body, 64<<20), p); n != 64<<20 || err != nil {
		t.Fatal(n, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	r.CloseNow()
	if n, err := body.Read(p); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("after CloseNow: %d, %v", n, err)
	}
}

// TestStreamSplitAnywhere: the reader does not care how the bytes are cut.
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
				t.Fatalf("%q, %v", p, err)
			}
			r.wantStream(BinaryMessage, letters(130))
			r.peer.Want(bare(0x8A, "ping"))
		})
	}
}

func TestNoStreamWithCallbacks(t *testing.T) {
	r := faces[1].open(t, Config{OnMessage: func(*Conn, MessageType, []byte) {}})
	if _, _, err := r.c.NextReader(); err == nil {
		t.Error("NextReader works beside callbacks")
	}
}
