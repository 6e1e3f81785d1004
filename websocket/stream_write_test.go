package websocket

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

func (r *rig) nextWriter(typ MessageType) io.WriteCloser {
	r.t.Helper()
	w, err := r.c.NextWriter(typ)
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// wantMessage reads one message of a server, in as many frames as it has, and returns how long those are.
func (r *rig) wantMessage(typ MessageType, want string) (frames []int) {
	r.t.Helper()
	var got strings.Builder
	seq := wsframe.Incoming(wsframe.Client, 0)
	for {
		head := []byte(r.peer.WantN(2))
		h, n, err := wsframe.Parse(head)
		for n == 0 && err == nil {
			head = append(head, r.peer.WantN(1)...)
			h, n, err = wsframe.Parse(head)
		}
		if err == nil {
			err = seq.Next(h)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		frames = append(frames, int(h.Length))
		got.WriteString(r.peer.WantN(int(h.Length)))
		if h.Fin() {
			break
		}
	}
	if got.String() != want || MessageType(seq.Opcode()) != typ {
		r.t.Fatalf("%v message of %d bytes, want %v of %d", MessageType(seq.Opcode()), got.Len(), typ, len(want))
	}
	return frames
}

// A message of NextWriter is one frame if it is short, and fragments otherwise; only an empty message has an empty
// frame.
func TestWriters(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		for _, n := range []int{0, 1, 125, 16 << 10, 16<<10 + 1, 64 << 10, 64<<10 + 1, 300_000} {
			for _, piece := range []int{1000, 7000, 16 << 10, 100_000, 1 << 20} {
				p := letters(n)
				written := make(chan error, 1)
				w := r.nextWriter(BinaryMessage)
				go func() {
					_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{strings.NewReader(p)}, make([]byte, piece))
					written <- errors.Join(err, w.Close())
				}()
				frames := r.wantMessage(BinaryMessage, p)
				if err := <-written; err != nil {
					t.Fatal(err)
				}
				if n <= fragment && len(frames) > 1 || n > fragment && frames[len(frames)-1] == 0 {
					t.Errorf("%d bytes, written by %d, left in frames of %v", n, piece, frames)
				}
			}
		}
	})
}

// A client masks every fragment and does not change the caller's bytes.
func TestWritersMask(t *testing.T) {
	c, s := pipe(t, Config{}, Config{ReadLimit: -1})
	p := []byte(letters(200_000))
	for range 3 {
		w, err := c.NextWriter(TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			w.Write(p[:100])
			w.Write(p[100:])
			w.Close()
		}()
		if _, got, err := s.ReadMessage(); string(got) != letters(200_000) || err != nil {
			t.Fatalf("got %d bytes, %v", len(got), err)
		}
		if string(p) != letters(200_000) {
			t.Fatal("the caller's bytes were changed")
		}
	}
}

// Between the fragments of a message there are only control frames; other messages follow it.
func TestOthersWait(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		go r.c.ReadMessage()
		w := r.nextWriter(TextMessage)
		if _, err := io.WriteString(w, letters(20_000)); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"one", "two", "three"} {
			if err := r.c.Send(TextMessage, []byte(p)); err != nil {
				t.Fatal(err)
			}
		}
		written := make(chan error, 1)
		go func() { written <- r.c.WriteMessage(BinaryMessage, []byte("written")) }()
		r.peer.Want(bare(0x01, letters(19_999)))
		r.peer.Send(frame(0x89, "still there?"))
		r.peer.Want(bare(0x8A, "still there?"))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		r.peer.Want(bare(0x80, letters(20_000)[19_999:]))
		rest := r.peer.WantN(len(bare(0x81, "one") + bare(0x81, "two") + bare(0x81, "three") + bare(0x82, "written")))
		for _, want := range []string{bare(0x81, "one"), bare(0x81, "two"), bare(0x81, "three"), bare(0x82, "written")} {
			if !strings.Contains(rest, want) {
				t.Errorf("%q is missing in %q", want, rest)
			}
		}
	})
}

// A writer's error stays, Close returns it again, and other messages may be written afterwards.
func TestWriterErrors(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		w := r.nextWriter(TextMessage)
		r.c.CloseNow()
		within(t, "the end", r.c.Done())
		for range 2 {
			if _, err := io.WriteString(w, letters(100_000)); err == nil {
				t.Error("Write after the end: got no error")
			}
		}
		if err := w.Close(); err == nil {
			t.Error("Close after a failed write: got no error")
		}
		if err := w.Close(); err == nil {
			t.Error("a second Close: got no error")
		}
		if _, err := io.WriteString(w, "more"); err == nil {
			t.Error("Write after Close: got no error")
		}
		if err := r.c.WriteMessage(TextMessage, nil); err == nil {
			t.Error("WriteMessage after the end: got no error")
		}
		if _, err := r.c.NextWriter(TextMessage); !errors.Is(err, net.ErrClosed) {
			t.Errorf("NextWriter on what is over: %v", err)
		}
	})
}

// NextWriter waits until the current message is finished.
func TestWritersTakeTurns(t *testing.T) {
	r := faces[0].open(t, Config{})
	first := r.nextWriter(TextMessage)
	second := make(chan io.WriteCloser)
	go func() {
		w, _ := r.c.NextWriter(TextMessage)
		second <- w
	}()
	io.WriteString(first, "first")
	first.Close()
	w := <-second
	io.WriteString(w, "second")
	w.Close()
	r.peer.Want(bare(0x81, "first") + bare(0x81, "second"))
}
