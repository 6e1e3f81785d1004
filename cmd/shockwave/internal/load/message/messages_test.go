package message

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// With context takeover a connection sends one compressed stream, smaller than separate messages.
func TestTakeoverIsOneStream(t *testing.T) {
	for _, size := range []int{0, 30, 1000, 9000, 33_000, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			mustBeOneStream(t, size)
		})
	}
}

func mustBeOneStream(t *testing.T, size int) {
	m, script := newMessages(&Config{Spec: Spec{Size: size, Deflate: true, Takeover: true}, WebSocket: true, Depth: 1})
	var stream, want bytes.Buffer
	sent := 0
	for i := range 2 * m.turns.All {
		turn := m.turns.After(0, i)
		h, n, err := wsframe.Parse(script.Bodies[turn])
		if err != nil || h.RSV() != wsframe.RSV1 {
			t.Fatalf("%+v, %v", h, err)
		}
		p := bytes.Clone(script.Bodies[turn][n:])
		mask.XOR(p, p, h.Key)
		stream.Write(p)
		stream.WriteString(tail)
		want.Write(m.payloads[turn])
		sent += len(p)
	}
	stream.WriteString(last)
	if got, err := io.ReadAll(flate.NewReader(&stream)); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("messages of %d: %d bytes, want %d: %v", size, len(got), want.Len(), err)
	}
	alone := 0
	for i, p := range compress(m.payloads, false) {
		if alone += len(p); i >= m.turns.Again {
			alone += 2 * len(p) // sent three times
		}
	}
	if size >= 1000 && sent > alone*95/100 && size < window {
		t.Errorf("messages of %d: %d bytes with what was before, %d without", size, sent, alone)
	}
}
