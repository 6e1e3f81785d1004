package websocket

import (
	"io"
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

func newInbound(bits RSV, limit int64) *inbound {
	in := &inbound{seq: wsframe.Incoming(wsframe.Server, bits)}
	in.limit.Store(limit)
	return in
}

// TestAnnouncedLengths: a message that is gathered must fit a slice, whatever the limit; one that is handed out as it
// comes need not.
func TestAnnouncedLengths(t *testing.T) {
	for _, length := range []int64{1 << 30, math.MaxInt32, 1 << 31, 1<<32 + 5, math.MaxInt64} {
		for _, limit := range []int64{0, math.MaxInt64} {
			var want error
			if length > math.MaxInt {
				want = ErrTooBig
			}
			frame := wsframe.Append(nil, headerOf(length))
			gathered := newInbound(0, limit)
			if e, _, _, err := gathered.take(frame, nil); e != nothing || err != want {
				t.Errorf("%d bytes to gather, limit %d: %v, want %v", length, limit, err, want)
			}
			streamed := newInbound(0, limit)
			if e, _, n, err := streamed.takePart(frame, nil); e != nothing || n != len(frame) || err != nil {
				t.Errorf("%d bytes to stream, limit %d: %v", length, limit, err)
			}
		}
	}
}

// TestAnnouncedFragments: what has been gathered takes its share of the slice. What was streamed does not: there the
// 2^63-1 bytes are the limit that a frame has, too.
func TestAnnouncedFragments(t *testing.T) {
	first := wsframe.Header{Kind: wsframe.Kind(wsframe.Binary), Masked: true, Length: 5}
	next := wsframe.Header{Kind: wsframe.Final(wsframe.Continuation), Masked: true}
	for _, tc := range []struct {
		length int64
		want   error
	}{{math.MaxInt - 5, nil}, {math.MaxInt - 4, ErrTooBig}} {
		next.Length = tc.length
		frames := wsframe.Append(append(wsframe.Append(nil, first), "12345"...), next)
		in := inbound{seq: wsframe.Incoming(wsframe.Server, 0)}
		if _, _, _, err := in.take(frames, nil); err != tc.want {
			t.Errorf("%d bytes behind 5 that are held: %v, want %v", tc.length, err, tc.want)
		}
		in.drop()
		in = inbound{seq: wsframe.Incoming(wsframe.Server, 0)}
		_, p, n, err := in.takePart(frames, make([]byte, 100))
		if len(p) != 5 || err != nil {
			t.Fatalf("%d bytes, %v", len(p), err)
		}
		var want error
		if tc.length > math.MaxInt64-5 {
			want = ErrTooBig
		}
		if _, _, _, err := in.takePart(frames[n:], nil); err != want {
			t.Errorf("%d bytes behind 5 that were streamed: %v, want %v", tc.length, err, want)
		}
	}
}

// TestAnnouncedCompressed: a compressed message is gathered even if it is to be streamed, and the highest limit is none.
func TestAnnouncedCompressed(t *testing.T) {
	for _, limit := range []int64{0, math.MaxInt64 - 1, math.MaxInt64} {
		for _, length := range []int64{5, math.MaxInt32, 1 << 31, math.MaxInt64 - 1} {
			h := headerOf(length)
			h.Kind = h.With(wsframe.RSV1)
			var want error
			if length > math.MaxInt {
				want = ErrTooBig
			}
			in := newInbound(wsframe.RSV1, limit)
			if _, _, _, err := in.takePart(wsframe.Append(nil, h), make([]byte, 100)); err != want {
				t.Errorf("%d bytes, limit %d: %v, want %v", length, limit, err, want)
			}
		}
	}
}

// TestHighestReadLimit: the highest limit there is lets compressed messages through, as none does.
func TestHighestReadLimit(t *testing.T) {
	for _, limit := range []int64{-1, math.MaxInt64} {
		cfg := Config{ReadLimit: limit, Compression: ContextTakeover}
		client, server := Pipe(cfg, cfg)
		for range 3 {
			if err := client.WriteMessage(TextMessage, []byte(letters(10_000))); err != nil {
				t.Fatal(err)
			}
			if _, p, err := server.ReadMessage(); err != nil || string(p) != letters(10_000) {
				t.Fatalf("limit %d: %d bytes, %v", limit, len(p), err)
			}
		}
		w, err := client.NextWriter(BinaryMessage)
		if err == nil {
			io.WriteString(w, letters(100_000))
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, p, err := server.ReadMessage(); err != nil || string(p) != letters(100_000) {
			t.Fatalf("limit %d, fragments: %d bytes, %v", limit, len(p), err)
		}
		client.CloseNow()
		server.CloseNow()
	}
}
