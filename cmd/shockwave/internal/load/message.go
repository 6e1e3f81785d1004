package load

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Message says what is sent over WebSocket.
type Message struct {
	Size    int  // bytes, before compression
	Text    bool // text; otherwise binary
	Deflate bool // compressed, each message by itself (RFC 7692 §7.1.1), and asks the server for the same
}

// message is what is sent over WebSocket, and must come back. A run has a few of them which take turns, so that a
// server that mixes them up is found out.
type message struct {
	hello    []byte // the handshake up to the key
	deflate  bool
	opcode   wsframe.Opcode
	payloads [][]byte // without mask and compression
	frames   [][]byte // as they come back uncompressed in one frame; nil if they are large
}

// variety is how many messages take turns. There is one alone where frames have different lengths or are large, and
// with a rate, where two goroutines send on one connection.
const variety = 8

// newMessages builds the frames of cfg's messages.
func newMessages(cfg *Config) (*request, error) {
	m := &message{deflate: cfg.Message.Deflate, opcode: wsframe.Binary}
	if cfg.Message.Text {
		m.opcode = wsframe.Text
	}
	var err error
	if m.hello, err = newHello(cfg); err != nil {
		return nil, err
	}
	r := &request{method: "GET", message: m, variants: variety}
	large := (cfg.Message.Size+wsframe.MaxHeaderSize)*cfg.Pipeline > inlineBytes
	if large || cfg.Message.Deflate || cfg.Rate > 0 {
		r.variants = 1
	}
	var masked [][]byte
	for i := range r.variants {
		p := newPayload(cfg.Message.Size, i)
		m.payloads = append(m.payloads, p)
		kind := wsframe.Kind{Opcode: m.opcode, Fin: true}
		if !large {
			m.frames = append(m.frames, append(wsframe.Append(nil, wsframe.Header{Kind: kind, Length: int64(len(p))}), p...))
		}
		if cfg.Message.Deflate {
			kind.RSV, p = wsframe.RSV1, deflated(p)
		}
		masked = append(masked, appendMasked(nil, kind, p))
	}
	r.body = masked[0]
	r.size = len(r.body)
	for i := 0; !large && i < r.variants-1+cfg.Pipeline; i++ {
		r.batch = append(r.batch, masked[i%r.variants]...)
	}
	return r, nil
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

// words are what payloads are made of: text that compresses as records do.
var words = strings.Fields("symbol price volume time bid ask open high low close trade order")

// newPayload returns ASCII text of so many bytes, other text for each variant.
func newPayload(size, variant int) []byte {
	dice := rand.New(rand.NewPCG(1, uint64(variant)))
	p := make([]byte, 0, size+32)
	for len(p) < size {
		p = append(append(p, words[dice.IntN(len(words))]...), ':')
		p = append(strconv.AppendInt(p, dice.Int64N(100_000), 10), ' ')
	}
	p = p[:size]
	if size > 0 {
		p[0] = byte('a' + variant)
	}
	return p
}

// tail is what ends a flushed block, and is not sent (RFC 7692 §7.2.1); last is an empty final block.
const (
	tail = "\x00\x00\xff\xff"
	last = "\x01\x00\x00\xff\xff"
)

// deflated compresses p as a message by itself.
func deflated(p []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // fails for unknown levels only
	w.Write(p)
	w.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte(tail))
}

// inflated returns at most most bytes of what a message says that was compressed by itself.
func inflated(squeezed []byte, most int) ([]byte, error) {
	r := flate.NewReader(io.MultiReader(bytes.NewReader(squeezed), strings.NewReader(tail+last)))
	return io.ReadAll(io.LimitReader(r, int64(most)))
}
