package websocket

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/shockwave-go/shockwave/internal/wiretest"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// told is what ReadFrameInto says of a frame, in words.
func told(f *Frame) string {
	return fmt.Sprintf("%v fin=%v rsv=%v %d %q", f.Opcode, f.FIN, f.RSV, f.Length, f.Payload)
}

// conversation is what a client may say, and what a FrameReader is to tell of it.
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

// TestFrames reads the conversation however it is cut, into buffers that fit and into those that do not at first.
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
						t.Fatalf("%s: frame %d is too long for %d bytes: %v, %d", name, i, size, told(f), n)
					}
					f, n, err = r.ReadFrameInto(make([]byte, n))
				}
				if err != nil || told(f) != turn.told || n != len(f.Payload) {
					t.Fatalf("%s: frame %d: %v, want %.60s", name, i, err, turn.told)
				}
			}
			if f, _, err := r.ReadFrameInto(nil); f != nil || err != io.EOF {
				t.Errorf("%s: behind the last frame: %v, %v", name, f, err)
			}
		}
	}
}

// TestFramesCutOff: the end between frames is an end, and anywhere else a surprise.
func TestFramesCutOff(t *testing.T) {
	all := text("Hello") + frame(0x01, letters(200)) + frame(0x89, "") + frame(0x80, "x")
	ends := map[int]bool{0: true, 11: true, 11 + 208: true, 11 + 208 + 6: true, len(all): true}
	buf := make([]byte, 300)
	for cut := range len(all) + 1 {
		r := newReader(t, strings.NewReader(all[:cut]), 0)
		var err error
		for err == nil {
			_, _, err = r.ReadFrameInto(buf)
		}
		want := io.ErrUnexpectedEOF
		if ends[cut] {
			want = io.EOF
		}
		if err != want {
			t.Errorf("after %d bytes: %v, want %v", cut, err, want)
		}
	}
}

func TestFramesRefused(t *testing.T) {
	for _, tc := range []struct {
		name, sent string
		role       Role
	}{
		{"an unmasked frame of a client", bare(0x81, "Hello"), ServerRole},
		{"a masked frame of a server", text("Hello"), ClientRole},
		{"a reserved opcode, before more is there", "\x83", ServerRole},
		{"a reserved bit", frame(0xA1, "Hello"), ServerRole},
		{"a continuation of nothing", frame(0x80, "Hello"), ServerRole},
		{"a message in a message", frame(0x01, "Hel") + text("lo"), ServerRole},
		{"a long ping", frame(0x89, letters(126)), ServerRole},
		{"a frame after the close frame", closeFrame(CloseNormal, "") + frame(0x89, ""), ServerRole},
		{"a length that is longer than it needs to be", "\x82\xFE\x00\x7D", ServerRole},
		{"a length with its first bit set", "\x82\xFF\x80", ServerRole},
	} {
		r := NewFrameReader(strings.NewReader(tc.sent), tc.role, 0)
		buf := make([]byte, 1000)
		var err error
		for err == nil {
			_, _, err = r.ReadFrameInto(buf)
		}
		var pe *ProtocolError
		if !errors.As(err, &pe) || pe.Code != CloseProtocolError {
			t.Errorf("%s: %v", tc.name, err)
		}
		if _, _, again := r.ReadFrameInto(buf); again != err {
			t.Errorf("%s: first %v, then %v", tc.name, err, again)
		}
		r.Close()
	}
}

func TestFrameLimit(t *testing.T) {
	buf := make([]byte, 2<<20)
	for _, tc := range []struct {
		limit int64
		size  int
		err   error
	}{
		{100, 100, nil}, {100, 101, ErrTooBig}, {0, 1 << 20, nil}, {0, 1<<20 + 1, ErrTooBig}, {-1, 1<<20 + 1, nil},
	} {
		r := newReader(t, strings.NewReader(binaryF(letters(tc.size))), tc.limit)
		if _, n, err := r.ReadFrameInto(buf); err != tc.err || err == nil && string(buf[:n]) != letters(tc.size) {
			t.Errorf("%d bytes, limit %d: %v, want %v", tc.size, tc.limit, err, tc.err)
		}
	}
}

// TestClaimedLengths: a header that promises the world costs no more than what follows it.
func TestClaimedLengths(t *testing.T) {
	for _, limit := range []int64{1 << 40, -1} {
		sent := "\x82\xFF\x00\x00\x00\x7F\x00\x00\x00\x00\x01\x02\x03\x04" + letters(100_000)
		r := newReader(t, strings.NewReader(sent), limit)
		if f, _, err := r.ReadFrameInto(make([]byte, 100)); f != nil || err != io.ErrUnexpectedEOF {
			t.Fatalf("%v, %v", f, err)
		}
		if len(r.held) != 100_000 || cap(r.held) > 8*100_000 {
			t.Errorf("%d bytes are held in %d", len(r.held), cap(r.held))
		}
	}
}

// TestFrameAfterDeadline: who runs into a deadline amid a frame loses nothing, into whatever buffers it reads.
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

func TestFrameReaderCloses(t *testing.T) {
	src := strings.NewReader(text("Hello") + text("again"))
	r := NewFrameReader(src, ServerRole, 0)
	if _, n, err := r.ReadFrameInto(make([]byte, 10)); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if f, _, err := r.ReadFrameInto(make([]byte, 10)); f != nil || err != net.ErrClosed {
		t.Errorf("after Close: %v, %v", f, err)
	}
}

// TestFrameReaderOfNothing: a source that returns nothing for ever is given up.
func TestFrameReaderOfNothing(t *testing.T) {
	r := newReader(t, nobody{}, 0)
	if _, _, err := r.ReadFrameInto(nil); err != io.ErrNoProgress {
		t.Error(err)
	}
}

type nobody struct{}

func (nobody) Read([]byte) (int, error) { return 0, nil }

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

// FuzzFrameReader reads bytes as they are and cut to pieces, into buffers of any size, and wants to be told what Parse
// and Sequence tell of them in one piece.
func FuzzFrameReader(f *testing.F) {
	f.Add([]byte(spoken()[:400]), uint8(3), false)
	f.Add([]byte(bare(0x01, "Hel")+bare(0x80, "lo")), uint8(0), true)
	f.Add([]byte("\x82\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x00\x00\x00many"), uint8(9), false)
	f.Add([]byte(text("a")+"\x83"), uint8(200), false)
	f.Fuzz(func(t *testing.T, b []byte, size uint8, client bool) {
		role := ServerRole
		if client {
			role = ClientRole
		}
		want, wantErr := framesOf(b, role)
		r := NewFrameReader(iotest.OneByteReader(strings.NewReader(string(b))), role, 1<<20)
		defer r.Close()
		for i := 0; ; i++ {
			fr, n, err := r.ReadFrameInto(make([]byte, size))
			if err == io.ErrShortBuffer {
				fr, _, err = r.ReadFrameInto(make([]byte, n))
			}
			if err != nil {
				if i != len(want) || err != wantErr {
					t.Fatalf("%d frames and %v, want %d and %v", i, err, len(want), wantErr)
				}
				return
			}
			if i >= len(want) || told(fr) != want[i] {
				t.Fatalf("frame %d: %s", i, told(fr))
			}
		}
	})
}

// framesOf is what a FrameReader is to tell of b.
func framesOf(b []byte, role Role) (frames []string, err error) {
	seq := wsframe.Incoming(role, 0)
	for len(b) > 0 {
		h, n, err := wsframe.Parse(b)
		switch {
		case err != nil:
			return frames, err
		case n == 0:
			return frames, io.ErrUnexpectedEOF
		}
		if err := seq.Next(h); err != nil {
			return frames, err
		}
		if h.Length > 1<<20 {
			return frames, ErrTooBig
		}
		if b = b[n:]; int64(len(b)) < h.Length {
			return frames, io.ErrUnexpectedEOF
		}
		payload := make([]byte, h.Length)
		for i := range payload {
			payload[i] = b[i] ^ byte(h.Key>>(8*(i%4)))
		}
		frames = append(frames, told(&Frame{h.Fin, h.Opcode, h.RSV, payload, h.Length}))
		b = b[h.Length:]
	}
	return frames, io.EOF
}
