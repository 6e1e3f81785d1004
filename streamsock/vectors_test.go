package streamsock_test

import (
	"fmt"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// Each stream of the specification gives the messages that it lists, whole and byte by byte.
func TestVectors(t *testing.T) {
	for _, v := range wiretest.StreamVectors(t, "../docs") {
		max := int(v.Max)
		if max == 0 {
			max = -1
		}
		if v.TCP != nil {
			t.Run(v.Name+"/tcp", func(t *testing.T) {
				hears(t, "tcp", streamsock.Config{MaxMessage: max}, &v, v.TCP.End, func(r *raw) {
					r.pieces(v.TCP.Bytes)
					closeWrite(r)
				})
			})
		}
		if v.WS != nil {
			t.Run(v.Name+"/ws", func(t *testing.T) {
				hears(t, "ws", streamsock.Config{MaxMessage: max}, &v, v.WS.End, func(r *raw) { r.frames(v.WS) })
			})
		}
		for i, f := range v.Prefixed {
			t.Run(fmt.Sprintf("%s/prefixed %d", v.Name, i), func(t *testing.T) {
				cfg := streamsock.Config{MaxMessage: max, Framing: streamsock.FramingPrefixed}
				hears(t, "ws", cfg, &v, f.End, func(r *raw) { r.frames(&f) })
			})
		}
	}
}

// pieces sends bytes, one by one if they are few.
func (r *raw) pieces(b []byte) {
	if len(b) > 300 {
		_, _ = r.Write(b)
		return
	}
	for i := range b {
		if _, err := r.Write(b[i : i+1]); err != nil {
			return // refused by then
		}
	}
}

// frames sends frames and ends the stream.
func (r *raw) frames(f *wiretest.StreamFrames) {
	for _, frame := range f.Frames {
		first := byte(frame.Opcode)
		if frame.Fin {
			first |= 0x80
		}
		r.frame(first, string(frame.Payload))
	}
	closeWrite(r)
}

// hears makes a socket receive a stream, and compares the messages.
func hears(t *testing.T, transport string, cfg streamsock.Config, v *wiretest.StreamVector, want wiretest.StreamEnd, says func(r *raw)) {
	t.Parallel()
	s := newSocket(t, cfg)
	r := dialRaw(t, bind(t, s, at(t, transport)), nil)
	said := make(chan bool)
	go func() { defer close(said); says(r) }()
	wants(t, s, "connected 1")
	for i, msg := range v.Messages {
		m := recv(t, s)
		if m.Kind != streamsock.KindBinary || string(m.Data) != string(msg) {
			t.Fatalf("message %d: %v, %d bytes, want %d", i, m.Kind, len(m.Data), len(msg))
		}
		m.Release()
	}
	m := recv(t, s)
	if m.End == nil || m.End.Reason.String() != want.Reason || int(m.End.Code) != want.Code || want.Reason == "closed" && m.End.Text != want.Text {
		t.Errorf("the end: %v %+v, want %+v", m.Kind, m.End, want)
	}
	<-said
}
