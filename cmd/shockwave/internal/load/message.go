package load

import (
	"math/rand/v2"

	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Message says what is sent over WebSocket, tcp and tls.
type Message struct {
	Size     int  // bytes, before compression
	Prefixed bool // over WebSocket: behind its length in the byte stream that binary messages carry, as over tcp
	Text     bool // text; otherwise binary
	Deflate  bool // compressed, each by itself (RFC 7692 §7.1.1), and asks the server for the same
	Takeover bool // with Deflate: compressed with what was sent before, in both directions
	// OneWay sends without waiting for anything: a message counts when it has left, and its latency is until then. What
	// comes back is dropped. When the time is over each connection ends its half, or sends a close frame, and waits for up to
	// Timeout for the other side to do the same, which says that it has read everything: see Result.OneWay. That is counted
	// time, too.
	OneWay bool
}

// behindLength reports whether messages stand behind their lengths.
func (m *Message) behindLength(cfg *Config) bool { return m.Prefixed || cfg.stream() }

// message is what is sent over WebSocket, tcp or tls, and must come back. A run has several of them which take turns, so
// that a server that mixes them up is found out.
type message struct {
	hello    []byte // WebSocket's handshake up to the key; nil over tcp and tls
	lengths  bool   // payloads stand behind their lengths
	oneWay   bool
	deflate  bool
	takeover bool
	opcode   wsframe.Opcode
	turns    turns
	text     []byte   // the payloads of all turns, as a connection sends them first
	payloads [][]byte // of each turn, without mask and compression
	frames   [][]byte // of each turn, as they come back: uncompressed in one frame, or behind the length; nil if they are large
}

// variety is how many messages take turns. There is one alone where they are large, and with a rate, where two
// goroutines send on one connection.
const variety = 8

// newMessages builds what is sent of cfg's messages.
func newMessages(cfg *Config) (*request, error) {
	m := &message{
		deflate: cfg.Message.Deflate, takeover: cfg.Message.Takeover, opcode: wsframe.Binary,
		lengths: cfg.Message.behindLength(cfg), oneWay: cfg.Message.OneWay,
	}
	if cfg.webSocket() {
		var err error
		if m.hello, err = newHello(cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Message.Text {
		m.opcode = wsframe.Text
	}
	large := (cfg.Message.Size+wsframe.MaxHeaderSize)*cfg.Pipeline > inlineBytes
	m.write(cfg.Message.Size, large || cfg.Rate > 0)
	if !large {
		m.frame()
	}
	r := &request{method: "GET", message: m, turns: m.turns, bodies: m.sent()}
	r.heads = make([][]byte, len(r.bodies))
	ordered := m.takeover && cfg.Rate > 0 // a writer keeps the order
	if m.oneWay || !large && !ordered {
		r.makeBatch(cfg.Pipeline)
	}
	return r, nil
}

// write makes the payloads: one, or a variety. With takeover a connection sends all of them once, compressed with what
// is there of those before, and then again and again with what a whole window of them is there of. They are so many that
// none finds itself in the window.
func (m *message) write(size int, one bool) {
	n := variety
	if one {
		n = 1
	}
	m.turns.all = n
	if m.takeover {
		n = max(n, window/max(size, 1)+1)
		m.turns = turns{all: 2 * n, again: n}
	}
	for i := range m.turns.all {
		m.text = append(m.text, newPayload(size, i%n)...)
	}
	for i := range m.turns.all {
		m.payloads = append(m.payloads, m.text[i*size:(i+1)*size])
	}
}

// frame makes the frames that are looked for first.
func (m *message) frame() {
	for _, p := range m.payloads {
		if m.lengths {
			m.frames = append(m.frames, lenframe.Append(nil, p))
			continue
		}
		h := wsframe.Header{Kind: wsframe.Kind{Opcode: m.opcode, Fin: true}, Length: int64(len(p))}
		m.frames = append(m.frames, append(wsframe.Append(nil, h), p...))
	}
}

// sent returns the messages as they are sent: in masked frames, behind their lengths, or both.
func (m *message) sent() (all [][]byte) {
	kind, payloads := wsframe.Kind{Opcode: m.opcode, Fin: true}, m.payloads
	if m.deflate {
		kind.RSV, payloads = wsframe.RSV1, squeeze(m.payloads, m.takeover)
	}
	for _, p := range payloads {
		if m.lengths {
			p = lenframe.Append(nil, p)
		}
		if m.hello != nil {
			p = appendMasked(nil, kind, p)
		}
		all = append(all, p)
	}
	return all
}

// before returns what is in the window when a message comes whose turn it is, all before it having been right.
func (m *message) before(turn int) []byte {
	if !m.takeover {
		return nil
	}
	end := turn * len(m.payloads[0])
	return m.text[max(0, end-window):end]
}

// appendMasked appends a frame as a client sends it. The frames of a run are masked once, with a key for each message:
// the server's work is the same, and there is nobody to hide it from (RFC 6455 §10.3).
func appendMasked(dst []byte, kind wsframe.Kind, p []byte) []byte {
	h := wsframe.Header{Kind: kind, Masked: true, Key: rand.Uint32() | 1, Length: int64(len(p))}
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = append(dst, p...)
	mask.XOR(dst[at:], p, h.Key)
	return dst
}
