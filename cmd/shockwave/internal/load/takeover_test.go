package load

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

const takeoverAgreed = "Sec-WebSocket-Extensions: permessage-deflate\r\n"

// After the last turn those from "again" on repeat.
func TestTurns(t *testing.T) {
	once := turns{all: 5, again: 2} // 0 1 2 3 4 2 3 4 2 …
	for n, want := range []int{0, 1, 2, 3, 4, 2, 3, 4, 2} {
		if got := once.after(0, n); got != want {
			t.Errorf("%d after the first: %d, want %d", n, got, want)
		}
	}
	if got := once.after(3, 100); got != 4 { // 99 and 1: three threes on
		t.Errorf("100 after 3: %d", got)
	}
}

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
	cfg := Config{URL: &url.URL{Scheme: "ws", Host: "h"}, Pipeline: 1, Message: Message{Size: size, Deflate: true, Takeover: true}}
	r, err := newMessages(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	var stream, want bytes.Buffer
	sent := 0
	for i := range 2 * r.turns.all {
		turn := r.turns.after(0, i)
		h, n, err := wsframe.Parse(r.bodies[turn])
		if err != nil || h.RSV() != wsframe.RSV1 {
			t.Fatalf("%+v, %v", h, err)
		}
		p := bytes.Clone(r.bodies[turn][n:])
		mask.XOR(p, p, h.Key)
		stream.Write(p)
		stream.WriteString(tail)
		want.Write(r.message.payloads[turn])
		sent += len(p)
	}
	stream.WriteString(last)
	if got, err := io.ReadAll(flate.NewReader(&stream)); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("messages of %d: %d bytes, want %d: %v", size, len(got), want.Len(), err)
	}
	alone := 0
	for i, p := range compress(r.message.payloads, false) {
		if alone += len(p); i >= r.turns.again {
			alone += 2 * len(p) // sent three times
		}
	}
	if size >= 1000 && sent > alone*95/100 && size < window {
		t.Errorf("messages of %d: %d bytes with what was before, %d without", size, sent, alone)
	}
}

// takingOver is a server that keeps one compressor for all messages of a connection, as other as ours can be.
type takingOver struct {
	out bytes.Buffer
	w   *flate.Writer
}

func newTakingOver() *takingOver {
	s := new(takingOver)
	s.w, _ = flate.NewWriter(&s.out, flate.BestSpeed)
	return s
}

// frames is a message in so many frames.
func (s *takingOver) frames(payload []byte, parts int) (all string) {
	s.out.Reset()
	s.w.Write(payload)
	s.w.Flush()
	p := bytes.TrimSuffix(s.out.Bytes(), []byte(tail))
	kind := wsframe.Kind(wsframe.Binary).With(wsframe.RSV1)
	for ; parts > 0; parts-- {
		piece := p[:len(p)/parts]
		p = p[len(piece):]
		if parts == 1 {
			kind |= wsframe.FIN
		}
		all += string(wsframe.Append(nil, wsframe.Header{Kind: kind, Length: int64(len(piece))})) + string(piece)
		kind = wsframe.Kind(wsframe.Continuation)
	}
	return all
}

// Echoes compressed with takeover are compared with what was sent.
func TestTakeoverEchoes(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int // the message of each first connection that is answered in another way
		echo func(s *takingOver, payload []byte) string
		want Errors
	}{
		{"all alike", -1, nil, Errors{}},
		{"in three frames", 3, func(s *takingOver, p []byte) string { return s.frames(p, 3) }, Errors{}},
		{"one uncompressed", 3, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, Errors{}},
		{"the first one uncompressed", 0, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, Errors{}},
		{"one uncompressed, late", 20, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, Errors{}},
		{"another byte", 20, func(s *takingOver, p []byte) string { p[5] ^= 1; return s.frames(p, 1) }, Errors{Content: 1}},
		{"shorter", 20, func(s *takingOver, p []byte) string { return s.frames(p[1:], 1) }, Errors{Length: 1}},
		{"longer", 20, func(s *takingOver, p []byte) string { return s.frames(append(p, 'x'), 1) }, Errors{Length: 1}},
		{"another byte, uncompressed", 20, func(_ *takingOver, p []byte) string {
			p[5] ^= 1
			return bare(wsframe.Binary, true, p)
		}, Errors{Content: 1}},
		{"without what came before", 20, func(s *takingOver, p []byte) string { // which is no error: it need not be used
			s.frames(p, 1)
			return newTakingOver().frames(p, 1)
		}, Errors{}},
		{"no compression at all", 20, func(*takingOver, []byte) string {
			return "\xc2\x04\xff\xff\xff\xff"
		}, Errors{Content: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) {
				if !p.upgraded(takeoverAgreed) {
					return
				}
				s, in := newTakingOver(), inflater{}
				var before []byte
				for i := 0; ; i++ {
					h, squeezed, ok := p.frame()
					if !ok || h.RSV() != wsframe.RSV1 {
						return
					}
					payload, err := in.inflate(squeezed, before, 1<<20)
					if err != nil {
						t.Errorf("message %d cannot be read: %v", i, err)
						return
					}
					before = append(before, payload...)
					before = bytes.Clone(before[max(0, len(before)-window):])
					if i == c.at && p.index == 0 {
						p.say(c.echo(s, bytes.Clone(payload)))
						continue
					}
					p.say(s.frames(payload, 1))
				}
			})
			s.url.Scheme = "ws"
			cfg := Config{Message: Message{Size: 9000, Deflate: true, Takeover: true}, Conns: 2, Requests: 100}
			if res := s.run(t, cfg); res.Errors != c.want || res.Requests < 50 {
				t.Errorf("%d messages, errors %+v, want %+v", res.Requests, res.Errors, c.want)
			}
		})
	}
}
