package websocket

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// told returns a result of ReadFrameInto as text.
func told(f *Frame) string {
	return fmt.Sprintf("%v fin=%v rsv=%v %d %q", f.Opcode, f.FIN, f.RSV, f.Length, f.Payload)
}

// conversation is the bytes of a client, and the frames that a FrameReader must read from them.
var conversation = []struct{ sent, told string }{
	{text("Hello"), `text fin=true rsv=none 5 "Hello"`},
	{frame(0x01, "caf\xC3"), `text fin=false rsv=none 4 "caf\xc3"`},
	{frame(0x89, ""), `ping fin=true rsv=none 0 ""`},
	{frame(0x00, ""), `continuation fin=false rsv=none 0 ""`},
	{frame(0x8A, letters(125)), fmt.Sprintf("pong fin=true rsv=none 125 %q", letters(125))},
	{frame(0x80, "\xA9"), `continuation fin=true rsv=none 1 "\xa9"`},
	{binaryF(letters(126)), fmt.Sprintf("binary fin=true rsv=none 126 %q", letters(126))},
	{binaryF(letters(70_000)), fmt.Sprintf("binary fin=true rsv=none 70000 %q", letters(70_000))},
	{frame(0xC1, "squeezed"), `text fin=true rsv=RSV1 8 "squeezed"`},
	{closeFrame(CloseNormal, "bye"), `close fin=true rsv=none 5 "\x03\xe8bye"`},
}

func spoken() string {
	var all strings.Builder
	for _, turn := range conversation {
		all.WriteString(turn.sent)
	}
	return all.String()
}

func newReader(t testing.TB, src io.Reader, limit int64) *FrameReader {
	t.Helper()
	r := NewFrameReader(src, ServerRole, limit)
	t.Cleanup(func() { r.Close() })
	r.AllowRSV(RSV1)
	return r
}

// Frames are read however they are cut, into buffers that fit and buffers that do not.
func TestFrames(t *testing.T) {
	for name, src := range map[string]func() io.Reader{
		"whole":        func() io.Reader { return strings.NewReader(spoken()) },
		"by bytes":     func() io.Reader { return iotest.OneByteReader(strings.NewReader(spoken())) },
		"by halves":    func() io.Reader { return iotest.HalfReader(strings.NewReader(spoken())) },
		"end with all": func() io.Reader { return iotest.DataErrReader(strings.NewReader(spoken())) },
	} {
		for _, size := range []int{100_000, 4, 0} {
			r := newReader(t, src(), 0)
			for i, turn := range conversation {
				f, n, err := r.ReadFrameInto(make([]byte, size))
				if errors.Is(err, io.ErrShortBuffer) {
					if f.Payload != nil || n != int(f.Length) || n <= size {
						t.Fatalf("%s: frame %d is too long for %d bytes: got %v, %d", name, i, size, told(f), n)
					}
					f, n, err = r.ReadFrameInto(make([]byte, n))
				}
				if err != nil || told(f) != turn.told || n != len(f.Payload) {
					t.Fatalf("%s: frame %d: %v, want %.60s", name, i, err, turn.told)
				}
			}
			if f, _, err := r.ReadFrameInto(nil); f != nil || err != io.EOF {
				t.Errorf("%s: after the last frame: got %v, %v; want nil, %v", name, f, err, io.EOF)
			}
		}
	}
}

// A deadline in the middle of a frame loses nothing.
func TestFrameAfterDeadline(t *testing.T) {
	all := text("Hello") + binaryF(letters(20_000))
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	peer := wiretest.NewTalk(t, far)
	for _, cut := range []int{1, 5, 7, 10, 12, 15, 25, 5000, 19_000} {
		r := newReader(t, near, 0)
		peer.Send(all[:cut])
		var got []string
		for _, part := range []string{"", all[cut:]} {
			peer.Send(part)
			wait := 10 * time.Millisecond
			if part != "" {
				wait = patience
			}
			var err error
			for err == nil && len(got) < 2 {
				near.SetReadDeadline(time.Now().Add(wait))
				var f *Frame
				if f, _, err = r.ReadFrameInto(make([]byte, 20_000)); err == nil {
					got = append(got, string(f.Payload))
				}
			}
			if part == "" && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("after %d bytes: %v, want a passed deadline", cut, err)
			}
		}
		if len(got) != 2 || got[0] != "Hello" || got[1] != letters(20_000) {
			t.Errorf("cut at %d: %d frames", cut, len(got))
		}
	}
}

// After Close, reads fail with ErrClosed.
func TestFrameReaderCloses(t *testing.T) {
	src := strings.NewReader(text("Hello") + text("again"))
	r := NewFrameReader(src, ServerRole, 0)
	if _, n, err := r.ReadFrameInto(make([]byte, 10)); n != 5 || err != nil {
		t.Fatalf("got %v, %v; want 5", n, err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if f, _, err := r.ReadFrameInto(make([]byte, 10)); f != nil || err != ErrClosed {
		t.Errorf("after Close: got %v, %v; want nil, %v", f, err, ErrClosed)
	}
}

// A source that returns neither bytes nor an error is given up.
func TestFrameReaderOfNothing(t *testing.T) {
	r := newReader(t, nobody{}, 0)
	if _, _, err := r.ReadFrameInto(nil); err != io.ErrNoProgress {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

type nobody struct{}

func (nobody) Read([]byte) (int, error) { return 0, nil }

// Reading frames allocates nothing.
func TestFrameReaderAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	r := newReader(t, &endless{bytes: text(letters(1000)) + frame(0x89, "ping") + binaryF(letters(20_000))}, 0)
	buf, short := make([]byte, 20_000), make([]byte, 10)
	allocations := testing.AllocsPerRun(300, func() {
		if _, n, err := r.ReadFrameInto(short); n > len(short) && err == io.ErrShortBuffer {
			if _, _, err = r.ReadFrameInto(buf); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := r.ReadFrameInto(buf); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// lastly is a source that returns all its bytes together with an error, and must not be read again.
type lastly struct {
	t    *testing.T
	text string
	err  error
}

func (s *lastly) Read(p []byte) (int, error) {
	if s.text == "" {
		s.t.Error("the source was read after its error")
		return 0, io.EOF
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	if s.text == "" {
		return n, s.err
	}
	return n, nil
}

// Frames that a source returns together with an error are read before the error.
func TestFramesBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	r := newReader(t, &lastly{t, text("Hello") + frame(0x89, ""), broken}, 0)
	for _, want := range []string{`text fin=true rsv=none 5 "Hello"`, `ping fin=true rsv=none 0 ""`} {
		f, _, err := r.ReadFrameInto(make([]byte, 10))
		if err != nil || told(f) != want {
			t.Fatalf("%v, %v; want %s", f, err, want)
		}
	}
	if f, _, err := r.ReadFrameInto(make([]byte, 10)); err != broken {
		t.Errorf("then %v, %v", f, err)
	}
}
