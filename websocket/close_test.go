package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// Close sends a close frame, drops the messages before the peer's, and both ends report the code.
func TestClose(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.serve(t, Config{}, func(c *Conn, typ MessageType, p []byte) error {
			go c.Close(CloseGoingAway, "enough")
			return nil
		})
		r.peer.Send(text("Hello"))
		r.peer.Want(bare(0x88, "\x03\xE9enough"))
		r.peer.Send(text("too late") + closeFrame(CloseGoingAway, ""))
		r.peer.WantEOF()
		if err := r.wantEnd(); err != ErrClosed {
			t.Errorf("ended with %v, want net.ErrClosed", err)
		}
		if err := r.c.WriteMessage(TextMessage, nil); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a write afterwards: %v", err)
		}
		if err := r.c.Close(CloseNormal, ""); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a second Close: %v", err)
		}
	})
}

// Close reads the peer's close frame if nothing else reads.
func TestCloseAnswers(t *testing.T) {
	f := faces[0]
	r := f.open(t, Config{})
	closed := make(chan error)
	go func() { closed <- r.c.Close(CloseNormal, "") }()
	r.peer.Want(bare(0x88, "\x03\xE8"))
	r.peer.Send(binaryF("dropped") + closeFrame(CloseNormal, ""))
	r.peer.WantEOF()
	if err := <-closed; err != nil {
		t.Errorf("Close returned %v", err)
	}
	if err := r.c.Err(); err != ErrClosed {
		t.Errorf("Err is %v", err)
	}
}

// Close waits no longer than CloseTimeout for a peer that does not answer.
func TestCloseUnanswered(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.open(t, Config{CloseTimeout: 20 * time.Millisecond})
			if f.callbacks {
				r = f.echo(t, Config{CloseTimeout: 20 * time.Millisecond})
			}
			err := r.c.Close(CloseNormal, "")
			if !f.callbacks && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Close returned %v", err)
			}
			within(t, "the connection to end", r.c.Done())
		})
	}
}

// A close code that cannot be sent is refused, and the connection goes on.
func TestCloseCodes(t *testing.T) {
	r := faces[0].echo(t, Config{})
	for _, code := range []CloseCode{0, 999, 1004, CloseAbnormal, 1015, 2000, 5000} {
		var pe *ProtocolError
		if err := r.c.Close(code, ""); !errors.As(err, &pe) {
			t.Errorf("Close(%d) returned %v", code, err)
		}
	}
	r.peer.Send(text("Hello"))
	r.peer.Want(bare(0x81, "Hello"))
}

// The answer to a close frame has the same code, or none (RFC 6455 §5.5.1).
func TestCloseEchoes(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		for _, code := range []CloseCode{CloseNormal, 3000, 4999, CloseNoStatus} {
			r := f.echo(t, Config{})
			if code == CloseNoStatus {
				r.peer.Send(frame(0x88, ""))
			} else {
				r.peer.Send(closeFrame(code, "why"))
			}
			r.wantClose(code)
			if got := CloseStatus(r.wantEnd()); got != code {
				t.Errorf("the server's end was told %v, want %v", got, code)
			}
		}
	})
}

// CloseNow ends the connection at once, for readers too.
func TestCloseNow(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		r.peer.Send(text("Hello"))
		r.peer.Want(bare(0x81, "Hello"))
		if err := r.c.CloseNow(); err != nil {
			t.Error(err)
		}
		r.peer.WantGone()
		if err := r.wantEnd(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("ended with %v", err)
		}
	})
}

// A ping may be sent between the parts of a message (RFC 6455 §5.4).
func TestPingAmidAMessage(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		w, err := r.c.NextWriter(TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "some")
		answered := make(chan error, 1)
		go func() { answered <- r.c.Ping(soon(t)) }()
		r.peer.Want("\x89\x08")
		r.peer.Send(frame(0x8A, string(r.peer.WantN(8))))
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		r.peer.Want(bare(0x81, "some"))
	})
}

// Ping returns when a reader has received the pong.
func TestPing(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{})
		answered := make(chan error)
		go func() { answered <- r.c.Ping(soon(t)) }()
		ping := r.peer.WantN(10)
		if ping[:2] != "\x89\x08" {
			t.Fatalf("got % x, want a ping", ping)
		}
		r.peer.Send(frame(0x8A, "something else") + frame(0x8A, ping[2:]))
		if err := <-answered; err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := r.c.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without a pong: %v", err)
		}
	})
}

// Close ends the connection at once if the write deadline has passed.
func TestCloseAfterTheWriteDeadline(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{CloseTimeout: -1})
		r.c.SetWriteDeadline(aLongTimeAgo)
		if err := r.c.Close(CloseNormal, ""); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		if r.c.Err() == nil || !r.c.send.finished.Load() {
			t.Errorf("after Close: Err is %v, finished %v", r.c.Err(), r.c.send.finished.Load())
		}
	})
}
