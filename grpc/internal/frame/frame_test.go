package frame_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
	"github.com/shockwave-go/shockwave/grpc/internal/frame"
)

// messages are two messages as they are on the wire, and their payloads.
func messages(t testing.TB) (wire []byte, payloads []string) {
	for _, p := range []string{"first", "", strings.Repeat("x", 5000)} {
		var err error
		if wire, err = frame.AppendRaw(wire, 0, []byte(p), nil, 1<<20); err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, p)
	}
	return wire, payloads
}

// Messages are found however the stream is cut into reads, and a stream that ends within a message is an error.
func TestReader(t *testing.T) {
	wire, want := messages(t)
	for name, src := range map[string]io.Reader{"whole": bytes.NewReader(wire), "by bytes": iotest.OneByteReader(bytes.NewReader(wire)),
		"the end with the data": iotest.DataErrReader(bytes.NewReader(wire))} {
		var r frame.Reader
		for _, p := range want {
			if flags, got, err := r.Next(src, 1<<20); flags != 0 || string(got) != p || err != nil {
				t.Fatalf("%s: got flags %d, %d bytes, %v, want %d bytes", name, flags, len(got), err, len(p))
			}
		}
		if _, _, err := r.Next(src, 1<<20); err != io.EOF {
			t.Errorf("%s: at the end: got %v", name, err)
		}
		r.Free()
	}
	first := frame.HeadSize + len(want[0])
	for n := 1; n < first; n++ {
		var r frame.Reader
		if _, _, err := r.Next(bytes.NewReader(wire[:n]), 1<<20); status.Code(err) != codes.Internal {
			t.Errorf("cut after %d bytes: got %v", n, err)
		}
	}
}

// A message that claims to be long costs memory only as it arrives, and one beyond the limit is refused by its length.
func TestClaimedLength(t *testing.T) {
	claim := []byte{0, 0x7f, 0xff, 0xff, 0xff, 'x'}
	var r frame.Reader
	n := testing.AllocsPerRun(1, func() {
		if _, _, err := r.Next(bytes.NewReader(claim), 1<<31-1); status.Code(err) != codes.Internal {
			t.Errorf("got %v, want Internal", err)
		}
		r.Free()
	})
	if n > 20 {
		t.Errorf("%v allocations", n)
	}
	if _, _, err := r.Next(bytes.NewReader(claim), 1000); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("beyond the limit: got %v, want ResourceExhausted", err)
	}
}

// Split takes one whole message and nothing else.
func TestSplit(t *testing.T) {
	wire, _ := messages(t)
	one := wire[:frame.HeadSize+5]
	if flags, p, err := frame.Split(one, 5); flags != 0 || string(p) != "first" || err != nil {
		t.Errorf("got %d, %q, %v", flags, p, err)
	}
	for n := range len(one) {
		want := codes.Internal
		if n == 0 {
			want = codes.Unimplemented
		}
		if _, _, err := frame.Split(one[:n], 5); status.Code(err) != want {
			t.Errorf("%d bytes: got %v, want %v", n, err, want)
		}
	}
	if _, _, err := frame.Split(one, 4); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("beyond the limit: got %v", err)
	}
	if _, _, err := frame.Split(wire, 5); status.Code(err) != codes.Unimplemented {
		t.Errorf("several messages: got %v", err)
	}
}

// A compressed message comes back, and one that decompresses to more than the limit is refused.
func TestCompression(t *testing.T) {
	comp := encoding.GetCompressor(gzip.Name)
	v := wrapperspb.String(strings.Repeat("a", 10000))
	b, sizes, err := frame.Append(nil, v, codec.Codec{}, comp, 1<<20)
	if err != nil || b[0] != frame.Compressed || sizes.Sent >= sizes.Plain || sizes.Sent != len(b)-frame.HeadSize {
		t.Fatalf("got %d bytes, %+v, %v", len(b), sizes, err)
	}
	p, err := frame.Decompress(b[frame.HeadSize:], comp, sizes.Plain)
	back := new(wrapperspb.StringValue)
	if err != nil || (codec.Codec{}).Decode(p, back) != nil || back.Value != v.Value {
		t.Errorf("got %d bytes, %v", len(p), err)
	}
	if _, err := frame.Decompress(b[frame.HeadSize:], comp, sizes.Plain-1); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("beyond the limit: got %v, want ResourceExhausted", err)
	}
	for n := range len(b) - frame.HeadSize {
		if _, err := frame.Decompress(b[frame.HeadSize:frame.HeadSize+n], comp, 1<<20); err == nil {
			t.Errorf("%d bytes of %d were decompressed", n, len(b)-frame.HeadSize)
		}
	}
	if b, _, _ := frame.Append(nil, wrapperspb.String(""), codec.Codec{}, comp, 1<<20); b[0] != 0 {
		t.Error("an empty message was compressed")
	}
}

// A message beyond the limit of what is sent leaves the buffer as it was.
func TestAppendBeyondTheLimit(t *testing.T) {
	b, _, err := frame.Append([]byte("before"), wrapperspb.String("hello"), codec.Codec{}, nil, 6)
	if status.Code(err) != codes.ResourceExhausted || string(b) != "before" {
		t.Errorf("got %q, %v", b, err)
	}
	if _, _, err := frame.Append(nil, 7, codec.Codec{}, nil, 100); status.Code(err) != codes.Internal {
		t.Errorf("a message that is none: got %v", err)
	}
}

// Reader and Split agree about what one message is, and neither goes beyond the bytes that there are.
func FuzzReader(f *testing.F) {
	wire, _ := messages(f)
	f.Add(wire)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, p, err := frame.Split(b, 1<<16)
		var r frame.Reader
		_, q, rerr := r.Next(iotest.HalfReader(bytes.NewReader(b)), 1<<16)
		if err == nil && (rerr != nil || !bytes.Equal(p, q)) {
			t.Fatalf("Split gives %q, Reader %q, %v", p, q, rerr)
		}
	})
}
