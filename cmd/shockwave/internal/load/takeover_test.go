package load

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

const takeoverAgreed = "Sec-WebSocket-Extensions: permessage-deflate\r\n"

// flushed ends what a compressor has flushed, and is not sent (RFC 7692 §7.2.1).
const flushed = "\x00\x00\xff\xff"

// inflate decompresses a message that follows what was before.
func inflate(squeezed, before []byte) ([]byte, error) {
	last := strings.NewReader(flushed + "\x01\x00\x00\xff\xff")
	return io.ReadAll(flate.NewReaderDict(io.MultiReader(bytes.NewReader(squeezed), last), before))
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
	p := bytes.TrimSuffix(s.out.Bytes(), []byte(flushed))
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
		want account.Errors
	}{
		{"all alike", -1, nil, account.Errors{}},
		{"in three frames", 3, func(s *takingOver, p []byte) string { return s.frames(p, 3) }, account.Errors{}},
		{"one uncompressed", 3, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, account.Errors{}},
		{"the first one uncompressed", 0, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, account.Errors{}},
		{"one uncompressed, late", 20, func(_ *takingOver, p []byte) string { return bare(wsframe.Binary, true, p) }, account.Errors{}},
		{"another byte", 20, func(s *takingOver, p []byte) string { p[5] ^= 1; return s.frames(p, 1) }, account.Errors{Content: 1}},
		{"shorter", 20, func(s *takingOver, p []byte) string { return s.frames(p[1:], 1) }, account.Errors{Length: 1}},
		{"longer", 20, func(s *takingOver, p []byte) string { return s.frames(append(p, 'x'), 1) }, account.Errors{Length: 1}},
		{"another byte, uncompressed", 20, func(_ *takingOver, p []byte) string {
			p[5] ^= 1
			return bare(wsframe.Binary, true, p)
		}, account.Errors{Content: 1}},
		{"without what came before", 20, func(s *takingOver, p []byte) string { // which is no error: it need not be used
			s.frames(p, 1)
			return newTakingOver().frames(p, 1)
		}, account.Errors{}},
		{"no compression at all", 20, func(*takingOver, []byte) string {
			return "\xc2\x04\xff\xff\xff\xff"
		}, account.Errors{Content: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) {
				if !p.upgraded(takeoverAgreed) {
					return
				}
				s := newTakingOver()
				var before []byte
				for i := 0; ; i++ {
					h, squeezed, ok := p.frame()
					if !ok || h.RSV() != wsframe.RSV1 {
						return
					}
					payload, err := inflate(squeezed, before)
					if err != nil {
						t.Errorf("message %d cannot be read: %v", i, err)
						return
					}
					before = append(before, payload...)
					before = bytes.Clone(before[max(0, len(before)-32<<10):])
					if i == c.at && p.index == 0 {
						p.say(c.echo(s, bytes.Clone(payload)))
						continue
					}
					p.say(s.frames(payload, 1))
				}
			})
			s.url.Scheme = "ws"
			cfg := Config{Message: message.Spec{Size: 9000, Deflate: true, Takeover: true}, Conns: 2, Requests: 100}
			if res := s.run(t, cfg); res.Errors != c.want || res.Requests < 50 {
				t.Errorf("%d messages, errors %+v, want %+v", res.Requests, res.Errors, c.want)
			}
		})
	}
}
