package muxframe_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// tell returns a frame as the vectors have it. payload is that of DATA.
func tell(f *muxframe.Frame, payload []byte) string {
	var s strings.Builder
	s.WriteString(f.Type.String())
	flag := func(g muxframe.Flags, name string) {
		if f.Flags&g != 0 {
			s.WriteString("+" + name)
		}
	}
	switch f.Type {
	case muxframe.Data:
		flag(muxframe.Fin, "FIN")
		flag(muxframe.Exempt, "EXEMPT")
		flag(muxframe.Reserve, "RESERVE")
		flag(muxframe.Void, "VOID")
		fmt.Fprintf(&s, " %d %x", f.Channel, payload)
	case muxframe.Open:
		flag(muxframe.Metadata, "METADATA")
		fmt.Fprintf(&s, " %d %x", f.Channel, f.Name)
		if f.Meta != nil {
			fmt.Fprintf(&s, " %x", f.Meta)
		}
	case muxframe.End:
		flag(muxframe.Stop, "STOP")
		fmt.Fprintf(&s, " %d", f.Channel)
	case muxframe.Reset, muxframe.Window:
		if f.Type == muxframe.Window {
			flag(muxframe.Reserve, "RESERVE")
		}
		fmt.Fprintf(&s, " %d %d", f.Channel, f.N)
	case muxframe.Grant:
		fmt.Fprintf(&s, " %d %d %d", f.Channel, f.M, f.N)
	case muxframe.Ping, muxframe.Pong:
		fmt.Fprintf(&s, " %016x", f.N)
	case muxframe.Kill:
		fmt.Fprintf(&s, " %d %x", f.N, f.Name)
	default:
		fmt.Fprintf(&s, " %d", f.N)
	}
	return s.String()
}

// read reads b, which comes step bytes at a time, and returns the frames and how much was taken.
func read(t testing.TB, b []byte, step int) (told []string, taken int, err error) {
	var r muxframe.Reader
	var f muxframe.Frame
	var payload []byte
	for end := 0; end < len(b); {
		end = min(end+step, len(b))
		for {
			n, err := r.Next(b[taken:end], &f)
			if err != nil {
				return told, taken, err
			}
			if n == 0 {
				break
			}
			if n > end-taken {
				t.Fatalf("%d bytes of %d were taken", n, end-taken)
			}
			taken += n
			if f.Type != muxframe.Data {
				told = append(told, tell(&f, nil))
				continue
			}
			if f.Begins {
				payload = nil
			}
			payload = append(payload, f.Payload...)
			if f.Ends != r.Between() {
				t.Fatal("an end that is none")
			}
			if f.Ends {
				if f.Length != len(payload) {
					t.Fatalf("%d bytes of %d", len(payload), f.Length)
				}
				told = append(told, tell(&f, payload))
			}
		}
	}
	return told, taken, nil
}

// The test vectors of the documentation are read as they say, however they are cut.
func TestVectors(t *testing.T) {
	for _, v := range wiretest.MuxVectors(t, "../../../docs") {
		for step := 1; step <= len(v.Bytes)+1; step++ {
			told, _, err := read(t, v.Bytes, step)
			if fmt.Sprint(told) != fmt.Sprint(v.Frames) || (err != nil) != v.Refused {
				t.Errorf("%s, %d bytes at a time: %q, %v; want %q", v.Name, step, told, err, v.Frames)
			}
		}
	}
}

// again appends a frame that was read.
func again(dst []byte, f *muxframe.Frame, payload []byte) []byte {
	switch f.Type {
	case muxframe.Data:
		return append(muxframe.AppendData(dst, f.Channel, f.Flags, len(payload)), payload...)
	case muxframe.Open:
		return muxframe.AppendOpen(dst, f.Channel, string(f.Name), f.Meta)
	case muxframe.End:
		return muxframe.AppendEnd(dst, f.Channel, f.Flags)
	case muxframe.Reset:
		return muxframe.AppendReset(dst, f.Channel, uint32(f.N))
	case muxframe.Window:
		if f.Flags == muxframe.Reserve {
			return muxframe.AppendReserve(dst, f.Channel, f.N)
		}
		return muxframe.AppendWindow(dst, f.Channel, f.N)
	case muxframe.Grant:
		return muxframe.AppendGrant(dst, f.Channel, f.M, f.N)
	case muxframe.Goaway:
		return muxframe.AppendGoaway(dst, uint32(f.N))
	case muxframe.Ack:
		return muxframe.AppendAck(dst, f.N)
	case muxframe.Kill:
		return muxframe.AppendKill(dst, uint32(f.N), string(f.Name))
	}
	return muxframe.AppendPing(dst, f.Type, f.N)
}

// Frames that were read and written again are the same bytes, wherever the input is cut.
func FuzzReader(f *testing.F) {
	for _, v := range wiretest.MuxVectors(f, "../../../docs") {
		f.Add([]byte(v.Bytes), 1)
	}
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		whole, taken, err := read(t, b, len(b)+1)
		pieces, _, perr := read(t, b, max(step, 1))
		if fmt.Sprint(whole) != fmt.Sprint(pieces) || fmt.Sprint(err) != fmt.Sprint(perr) {
			t.Fatalf("whole: %q, %v; in pieces: %q, %v", whole, err, pieces, perr)
		}
		var r muxframe.Reader
		var fr muxframe.Frame
		for at := 0; at < taken; {
			n, err := r.Next(b[at:taken], &fr)
			if err != nil || n == 0 || fr.Type == muxframe.Data && !fr.Ends {
				return
			}
			out := again(nil, &fr, fr.Payload)
			if !bytes.Equal(out, b[at:at+n]) {
				t.Fatalf("% x was written as % x", b[at:at+n], out)
			}
			typ, flags, channel, size := muxframe.Measure(out)
			if typ != fr.Type || flags != fr.Flags || channel != fr.Channel || size != n {
				t.Fatalf("% x was measured as %v %d %d %d", out, typ, flags, channel, size)
			}
			if typ == muxframe.Data && muxframe.DataHead(channel, len(fr.Payload)) != n-len(fr.Payload) {
				t.Fatalf("% x: the length of its head", out)
			}
			at += n
		}
	})
}

// A DATA frame has at most 8 bytes before its payload, and a small one 3.
func TestHeadIsShort(t *testing.T) {
	if n := muxframe.DataHead(muxframe.MaxChannel, muxframe.MaxData); n != muxframe.MaxHead || n > 8 {
		t.Errorf("%d bytes", n)
	}
	if n := muxframe.DataHead(127, 127); n != 3 {
		t.Errorf("%d bytes", n)
	}
}

// Reading frames allocates nothing.
func TestReadAllocatesNothing(t *testing.T) {
	b := append(muxframe.AppendData(nil, 5, muxframe.Fin, 5), "hello"...)
	b = muxframe.AppendWindow(b, 5, 1000)
	var r muxframe.Reader
	var f muxframe.Frame
	if n := testing.AllocsPerRun(100, func() {
		for at := 0; at < len(b); {
			n, _ := r.Next(b[at:], &f)
			at += n
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func greetings() []muxframe.Greeting {
	limits := muxframe.Limits{Window: 1024, Session: 1 << 20, MaxMessage: 3, Channels: 4, ResumeTime: 5, Keepalive: 6, Reserve: 2048}
	return []muxframe.Greeting{
		{Kind: muxframe.Hello, Features: 1, Key: muxframe.Key{1, 2}, Limits: limits},
		{Kind: muxframe.Welcome, Features: 1, Key: muxframe.Key{3}, Limits: limits, ID: muxframe.ID{4, 5}},
		{Kind: muxframe.Resume, ID: muxframe.ID{4, 5}, Nonce: muxframe.Nonce{6}},
		{Kind: muxframe.Challenge, Nonce: muxframe.Nonce{7}},
		{Kind: muxframe.Proof, Received: 1 << 40, MAC: muxframe.MAC{8}},
		{Kind: muxframe.Resumed, Received: 1 << 41, MAC: muxframe.MAC{9}},
		{Kind: muxframe.Refused, Code: muxframe.RefusedOver, Received: 77, Text: "closed"},
	}
}

// Each greeting is read back, waits for its last byte, and may be longer in a later version.
func TestGreetings(t *testing.T) {
	for _, g := range greetings() {
		b := muxframe.AppendGreeting(nil, &g)
		for n := range b {
			if _, k, err := muxframe.ParseGreeting(b[:n]); k != 0 || err != nil {
				t.Fatalf("%v: %d of %d bytes: %d, %v", g.Kind, n, len(b), k, err)
			}
		}
		got, n, err := muxframe.ParseGreeting(append(b, 1, 2, 3))
		if err != nil || n != len(b) || got != g {
			t.Errorf("%v: %+v, %d of %d, %v", g.Kind, got, n, len(b), err)
		}
		longer := append(bytes.Clone(b), "from a later version"...)
		longer[1], longer[2] = byte((len(longer)-3)>>8), byte(len(longer)-3)
		if got, n, err = muxframe.ParseGreeting(longer); err != nil || n != len(longer) || g.Kind != muxframe.Refused && got != g {
			t.Errorf("%v from a later version: %+v, %v", g.Kind, got, err)
		}
		b[2]--
		if _, _, err := muxframe.ParseGreeting(b); err == nil && g.Kind != muxframe.Refused {
			t.Errorf("%v that is too short was accepted", g.Kind)
		}
	}
}

// A greeting without a reserve announces none.
func TestGreetingsWithoutReserve(t *testing.T) {
	for _, g := range greetings()[:2] {
		b := muxframe.AppendGreeting(nil, &g)
		b = b[:len(b)-4]
		b[2] -= 4
		g.Limits.Reserve = 0
		if got, n, err := muxframe.ParseGreeting(b); err != nil || n != len(b) || got != g {
			t.Errorf("%v: %+v, %d of %d, %v", g.Kind, got, n, len(b), err)
		}
	}
}

// Malformed greetings, other versions and limits outside the bounds are refused.
func TestRefusedGreetings(t *testing.T) {
	old := muxframe.AppendGreeting(nil, &greetings()[0])
	old[3] = 2
	small := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Hello, Limits: muxframe.Limits{Window: 1023, Session: 1024}})
	for name, b := range map[string][]byte{
		"a small reserve": muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Hello, Limits: muxframe.Limits{Window: 1024, Session: 1024, Reserve: 1023}}),
		"a large reserve": muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Hello, Limits: muxframe.Limits{Window: 1024, Session: 1024, Reserve: 1 << 31}}),
		"kind 0":          {0}, "kind 8": {8}, "too long": {1, 2, 1}, "another version": old, "a small window": small,
	} {
		if _, _, err := muxframe.ParseGreeting(b); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for n := range muxframe.Magic {
		if k, err := muxframe.ParseMagic([]byte(muxframe.Magic[:n])); k != 0 || err != nil {
			t.Errorf("%d bytes of the magic: %d, %v", n, k, err)
		}
		if _, err := muxframe.ParseMagic([]byte(muxframe.Magic[:n] + "\x00")); err == nil {
			t.Errorf("another byte %d was accepted", n)
		}
	}
}

// A greeting that was read and written again is the same greeting.
func FuzzGreeting(f *testing.F) {
	for _, g := range greetings() {
		f.Add(muxframe.AppendGreeting(nil, &g))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, n, err := muxframe.ParseGreeting(b)
		if n > len(b) || n > muxframe.MaxGreeting || err != nil || n == 0 {
			if n > len(b) {
				t.Fatalf("%d bytes of %d", n, len(b))
			}
			return
		}
		again, _, err := muxframe.ParseGreeting(muxframe.AppendGreeting(nil, &g))
		if err != nil || again != g {
			t.Fatalf("%+v was written as %+v, %v", g, again, err)
		}
	})
}
