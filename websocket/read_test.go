package websocket

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// Messages of both types and all lengths are echoed, whole and in fragments.
func TestEcho(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		for _, n := range []int{0, 1, 7, 125, 126, 127, 1000, 4096, 16 << 10, 65535, 65536, 200_000} {
			if f.split != nil && n > 1000 {
				break
			}
			p := letters(n)
			r.peer.Send(text(p))
			r.peer.Want(bare(0x81, p))
			r.peer.Send(binaryF(p))
			r.peer.Want(bare(0x82, p))
			half := n / 2
			r.peer.Send(frame(0x01, p[:half]))
			r.peer.Send(frame(0x00, ""))
			r.peer.Send(frame(0x80, p[half:]))
			r.peer.Want(bare(0x81, p))
		}
		r.peer.Send(closeFrame(CloseNormal, "bye"))
		r.wantClose(CloseNormal)
		err := r.wantEnd()
		var ce *CloseError
		if !errors.As(err, &ce) || ce.Code != CloseNormal || ce.Reason != "bye" {
			t.Errorf("ended with %v, want 1000 and bye", err)
		}
	})
}

// Pings are answered at once, also in the middle of a message (RFC 6455 §5.4, §5.5.2).
func TestControlBetweenFragments(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		r.peer.Send(frame(0x01, "Hel") + frame(0x89, "are you there?"))
		r.peer.Want(bare(0x8A, "are you there?"))
		r.peer.Send(frame(0x8A, "nobody asked") + frame(0x80, "lo") + frame(0x89, ""))
		r.peer.Want(bare(0x81, "Hello") + bare(0x8A, ""))
	})
}

// A peer that breaks a rule gets a close frame with its code, and the connection ends.
func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		sent string
		code CloseCode
	}{
		{"an unmasked frame", bare(0x81, "Hello"), CloseProtocolError},
		{"a reserved opcode", frame(0x83, ""), CloseProtocolError},
		{"a reserved bit", frame(0xC1, "Hello"), CloseProtocolError},
		{"a continuation of nothing", frame(0x80, "Hello"), CloseProtocolError},
		{"a message inside a message", frame(0x01, "Hel") + text("lo"), CloseProtocolError},
		{"a long ping", frame(0x89, letters(126)), CloseProtocolError},
		{"text that is not UTF-8", text("caf\xE9"), CloseInvalidPayload},
		{"text cut inside a code point", text("caf\xC3"), CloseInvalidPayload},
		{"a bad byte in a fragment, at once", frame(0x01, "\xF4\x90"), CloseInvalidPayload},
		{"a close frame of one byte", frame(0x88, "x"), CloseProtocolError},
		{"a close code of nobody", closeFrame(1006, ""), CloseProtocolError},
		{"a message beyond the limit", binaryF(letters(2001)), CloseMessageTooBig},
		{"fragments beyond the limit", frame(0x02, letters(1500)) + frame(0x00, letters(501)), CloseMessageTooBig},
		{"empty fragments", frame(0x02, "") + strings.Repeat(frame(0x00, ""), 128), ClosePolicyViolation},
	} {
		onEvery(t, func(t *testing.T, f face) {
			t.Run(tc.name, func(t *testing.T) {
				r := f.echo(t, Config{ReadLimit: 2000})
				r.peer.Send(tc.sent)
				r.wantClose(tc.code)
				if err := r.wantEnd(); err == nil {
					t.Error("the connection ended without an error")
				}
			})
		})
	}
}

// Text that is not UTF-8 is refused at its first bad byte (Autobahn's case 6.4).
func TestFirstBadByte(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		whole := text("κόσμε" + "\xF4\x90" + letters(100))
		r.peer.Send(whole[:len(whole)-100])
		r.wantClose(CloseInvalidPayload)
	})
}

// An end without a close frame is a *CloseError with CloseAbnormal.
func TestCutOff(t *testing.T) {
	for _, sent := range []string{"", text("Hello")[:3], frame(0x01, "Hel")} {
		onEvery(t, func(t *testing.T, f face) {
			r := f.echo(t, Config{})
			r.peer.Send(sent)
			r.peer.HalfClose()
			r.peer.WantEOF()
			if err := r.wantEnd(); !IsCloseError(err, CloseAbnormal) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("ended with %v, want 1006 and io.ErrUnexpectedEOF", err)
			}
		})
	}
}

// A message that does not fit into the buffer stays readable.
func TestShortBuffer(t *testing.T) {
	for _, sent := range []string{text("Hello"), frame(0x01, "Hel") + frame(0x80, "lo")} {
		for _, f := range faces {
			if f.callbacks {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				r := f.open(t, Config{})
				r.peer.Send(sent + text("next"))
				for range 2 {
					if _, n, err := r.c.ReadMessageInto(make([]byte, 4)); n != 5 || err != io.ErrShortBuffer {
						t.Fatalf("n = %d, %v; want 5, io.ErrShortBuffer", n, err)
					}
				}
				buf := make([]byte, 5)
				typ, n, err := r.c.ReadMessageInto(buf)
				if typ != TextMessage || string(buf[:n]) != "Hello" || err != nil {
					t.Fatalf(`got %v, %q, %v; want %v, "Hello"`, typ, buf[:n], err, TextMessage)
				}
				if _, p, err := r.c.ReadMessage(); string(p) != "next" || err != nil {
					t.Fatalf(`got %q, %v; want "next"`, p, err)
				}
			})
		}
	}
}

// The end of a context ends a read at any byte, and the next read continues.
func TestReadIsCancelled(t *testing.T) {
	for _, f := range faces {
		if f.callbacks || f.split != nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			r := f.open(t, Config{})
			sent := frame(0x01, "Hel") + frame(0x89, "") + frame(0x80, "lo")
			for i := range len(sent) {
				r.peer.Send(sent[i : i+1])
				if i == len(sent)-1 {
					break
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
				_, _, err := r.c.ReadMessageContext(ctx)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("after %d bytes: %v", i+1, err)
				}
			}
			if _, p, err := r.c.ReadMessageContext(soon(t)); string(p) != "Hello" || err != nil {
				t.Fatalf(`got %q, %v; want "Hello"`, p, err)
			}
			r.peer.Want(bare(0x8A, ""))
		})
	}
}

// A read fails at its deadline, and works again after the deadline is moved.
func TestReadDeadline(t *testing.T) {
	for _, f := range faces[:1] {
		r := f.open(t, Config{})
		r.c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, _, err := r.c.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		r.c.SetReadDeadline(time.Time{})
		r.peer.Send(text("Hello"))
		if _, p, err := r.c.ReadMessage(); string(p) != "Hello" || err != nil {
			t.Fatalf(`got %q, %v; want "Hello"`, p, err)
		}
	}
}

// Messages ends without an error when the peer closes in order.
func TestMessages(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.peer.Send(text("one") + binaryF("two") + closeFrame(CloseGoingAway, ""))
	var got []string
	for m, err := range r.c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Type.String()+" "+string(m.Data))
	}
	if s := strings.Join(got, ", "); s != "text one, binary two" {
		t.Errorf("got %s", s)
	}
}
