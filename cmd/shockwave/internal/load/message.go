package load

import (
	"math/rand/v2"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Message describes the messages sent over WebSocket, tcp and tls.
type Message struct {
	Size     int  // bytes, before compression
	Prefixed bool // over WebSocket: with a length prefix, in a byte stream that binary messages carry
	Text     bool // text; otherwise binary
	Deflate  bool // compressed individually (RFC 7692 §7.1.1), and the server is asked to do the same
	Takeover bool // with Deflate: with context takeover, in both directions
	// OneWay sends messages without waiting for echoes. A message counts when it has been sent, and its latency ends
	// then. Input is dropped. When the time is over each connection ends its sending direction (with a close frame over
	// WebSocket) and waits up to Timeout for the other side to do the same, which shows that it has read everything:
	// see Result.OneWay. That wait is part of the counted time.
	OneWay bool
}

// lengthPrefixed reports whether messages have a length prefix.
func (m *Message) lengthPrefixed(cfg *Config) bool { return m.Prefixed || cfg.stream() }

// message holds the messages of a run as they are sent and as they must come back. There are several different ones,
// which take turns, so that a server that mixes messages up is detected.
type message struct {
	handshake []byte // WebSocket handshake request up to the key; nil over tcp and tls
	prefixed  bool   // payloads have a length prefix
	oneWay    bool
	deflate   bool
	takeover  bool
	opcode    wsframe.Opcode
	turns     turns
	text      []byte   // all payloads, concatenated in the order of the first round
	payloads  [][]byte // by turn, without mask and compression
	frames    [][]byte // by turn, as they come back in one uncompressed frame or with their length; nil if they are large
}

// messageVariants is the number of different messages. There is only one if messages are large, and with a rate, because then
// two goroutines may send on one connection.
const messageVariants = 8

// newMessages builds the messages of a run.
func newMessages(cfg *Config) (*request, error) {
	m := &message{
		deflate: cfg.Message.Deflate, takeover: cfg.Message.Takeover, opcode: wsframe.Binary,
		prefixed: cfg.Message.lengthPrefixed(cfg), oneWay: cfg.Message.OneWay,
	}
	if cfg.webSocket() {
		var err error
		if m.handshake, err = newHandshake(cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Message.Text {
		m.opcode = wsframe.Text
	}
	large := (cfg.Message.Size+wsframe.MaxHeaderSize)*cfg.Pipeline > inlineBytes
	m.makePayloads(cfg.Message.Size, large || cfg.Rate > 0)
	if !large {
		m.makeFrames()
	}
	r := &request{method: "GET", message: m, turns: m.turns, bodies: m.encoded()}
	r.heads = make([][]byte, len(r.bodies))
	ordered := m.takeover && cfg.Rate > 0 // compressed messages must stay in order; a writer ensures that
	if m.oneWay || !large && !ordered {
		r.makeBatch(cfg.Pipeline)
	}
	return r, nil
}

// makePayloads makes the payloads: one, or a variety of them. With takeover a connection first sends all of them once,
// each compressed with the window of those before it, and then repeats the second half, whose windows are full. There
// are so many that no payload finds itself in its window.
func (m *message) makePayloads(size int, one bool) {
	n := messageVariants
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

// makeFrames makes the frames that echoReader compares first.
func (m *message) makeFrames() {
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
func (m *message) encoded() (all [][]byte) {
	kind, payloads := wsframe.Final(m.opcode), m.payloads
	if m.deflate {
		kind, payloads = kind.With(wsframe.RSV1), compress(m.payloads, m.takeover)
	}
	for _, p := range payloads {
		if m.prefixed {
			p = lenframe.Append(nil, p)
		}
		if m.handshake != nil {
			p = appendMasked(nil, kind, p)
		}
		all = append(all, p)
	}
	return all
}

// before returns the compression window before the message with index turn, if all messages before it were right.
func (m *message) before(turn int) []byte {
	if !m.takeover {
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
