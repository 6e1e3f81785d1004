package message

import (
	"math/rand/v2"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// messages holds the messages of a run as they are sent and as they must come back. There are several different ones,
// which take turns, so that a server that mixes messages up is detected.
type messages struct {
	spec      Spec
	webSocket bool // in frames of WebSocket
	prefixed  bool // payloads have a length prefix
	opcode    wsframe.Opcode
	turns     pace.Turns
	text      []byte   // all payloads, concatenated in the order of the first round
	payloads  [][]byte // by turn, without mask and compression
	frames    [][]byte // by turn, as they come back in one uncompressed frame or with their length; nil if they are large
}

// variants is the number of different messages. There is only one if messages are large, and with a rate, because then
// two goroutines may send on one connection.
const variants = 8

// newMessages builds the messages of a run, and the script that sends them.
func newMessages(cfg *Config) (*messages, *pipeline.Script) {
	m := &messages{
		spec: cfg.Spec, webSocket: cfg.WebSocket, prefixed: cfg.Spec.Prefixed || !cfg.WebSocket, opcode: wsframe.Binary,
	}
	if cfg.Spec.Text {
		m.opcode = wsframe.Text
	}
	large := (cfg.Spec.Size+wsframe.MaxHeaderSize)*cfg.Depth > pipeline.InlineBytes
	m.makePayloads(cfg.Spec.Size, large || cfg.Scheduled)
	if !large {
		m.makeFrames()
	}
	script := &pipeline.Script{Turns: m.turns, Bodies: m.encoded(), Afresh: true}
	ordered := cfg.Spec.Takeover && cfg.Scheduled // compressed messages must stay in order; a writer ensures that
	if cfg.Spec.OneWay || !large && !ordered {
		script.MakeBatch(cfg.Depth)
	}
	return m, script
}

// makePayloads makes the payloads: one, or a variety of them. With takeover a connection first sends all of them once,
// each compressed with the window of those before it, and then repeats the second half, whose windows are full. There
// are so many that no payload finds itself in its window.
func (m *messages) makePayloads(size int, one bool) {
	n := variants
	if one {
		n = 1
	}
	m.turns.All = n
	if m.spec.Takeover {
		n = max(n, window/max(size, 1)+1)
		m.turns = pace.Turns{All: 2 * n, Again: n}
	}
	for i := range m.turns.All {
		m.text = append(m.text, newPayload(size, i%n)...)
	}
	for i := range m.turns.All {
		m.payloads = append(m.payloads, m.text[i*size:(i+1)*size])
	}
}

// makeFrames makes the frames that an echo is compared with first.
func (m *messages) makeFrames() {
	for _, p := range m.payloads {
		if m.prefixed {
			m.frames = append(m.frames, lenframe.Append(nil, p))
			continue
		}
		h := wsframe.Header{Kind: wsframe.Final(m.opcode), Length: int64(len(p))}
		m.frames = append(m.frames, append(wsframe.Append(nil, h), p...))
	}
}

// encoded returns the messages as they are sent: in masked frames, with a length prefix, or both.
func (m *messages) encoded() (all [][]byte) {
	kind, payloads := wsframe.Final(m.opcode), m.payloads
	if m.spec.Deflate {
		kind, payloads = kind.With(wsframe.RSV1), compress(m.payloads, m.spec.Takeover)
	}
	for _, p := range payloads {
		if m.prefixed {
			p = lenframe.Append(nil, p)
		}
		if m.webSocket {
			p = appendMasked(nil, kind, p)
		}
		all = append(all, p)
	}
	return all
}

// before returns the compression window before the message with index turn, if all messages before it were right.
func (m *messages) before(turn int) []byte {
	if !m.spec.Takeover {
		return nil
	}
	end := turn * len(m.payloads[0])
	return m.text[max(0, end-window):end]
}

// appendMasked appends a frame as a client sends it. A run masks each of its messages once, with one key for each: the
// server's work is the same, and there is no intermediary to protect (RFC 6455 §10.3).
func appendMasked(dst []byte, kind wsframe.Kind, p []byte) []byte {
	h := wsframe.Header{Kind: kind, Masked: true, Key: rand.Uint32() | 1, Length: int64(len(p))}
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = append(dst, p...)
	mask.XOR(dst[at:], p, h.Key)
	return dst
}
