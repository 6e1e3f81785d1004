package wsload

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Message is a message that is sent repeatedly. It is immutable and safe for concurrent use.
type Message struct {
	text  []byte
	kind  wsframe.Kind
	frame []byte // the client's frame with it
}

// Text returns a text message of n bytes.
func Text(n int) *Message {
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	kind := wsframe.Final(wsframe.Text)
	return &Message{text, kind, Frame(kind, text)}
}

// Compressed returns a text message of 1 KiB of JSON that is sent compressed (RFC 7692 §7.2.1).
func Compressed() (*Message, error) {
	_, text, _ := peer.Expect(peer.PathJSON, 0)
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	kind := wsframe.Final(wsframe.Text).With(wsframe.RSV1)
	return &Message{text, kind, Frame(kind, bytes.TrimSuffix(b.Bytes(), []byte(flushed)))}, nil
}

// flushed are the last bytes that a compressor writes when it is flushed; a message omits them. ending is an empty final block,
// which a decompressor needs after them to reach the end of its input.
const (
	flushed = "\x00\x00\xff\xff"
	ending  = "\x01\x00\x00\xff\xff"
)

// Frame returns a client's frame (RFC 6455 §5.2).
func Frame(kind wsframe.Kind, payload []byte) []byte {
	h := wsframe.Header{Kind: kind, Masked: true, Key: 0x3d21fa37, Length: int64(len(payload))}
	frame := wsframe.Append(nil, h)
	at := len(frame)
	frame = append(frame, payload...)
	mask.XOR(frame[at:], frame[at:], h.Key)
	return frame
}

// check compares a received frame with the message.
func (m *Message) check(frame, payload []byte) error {
	h, _, err := wsframe.Parse(frame)
	switch {
	case err != nil:
		return err
	case h.Kind != m.kind || h.Masked:
		return fmt.Errorf("a frame with %v, %v, want %v back", h.Opcode(), h.RSV(), m.kind.Opcode())
	}
	if m.kind.RSV() == wsframe.RSV1 {
		r := flate.NewReader(io.MultiReader(bytes.NewReader(payload), bytes.NewReader([]byte(flushed+ending))))
		if payload, err = io.ReadAll(r); err != nil {
			return err
		}
	}
	if !bytes.Equal(payload, m.text) {
		return errors.New("the echo differs from the message")
	}
	return nil
}

// Exchange sends the message and waits for its echo.
func (c *Conn) Exchange(m *Message) error {
	c.nc.SetDeadline(time.Now().Add(timeout))
	_, err := c.repeat(m, nil)
	return err
}

// repeat sends the message, waits for its echo, and checks it. before is the last frame that was checked, or nil; an equal
// frame is not decoded again. repeat returns the last frame that was checked.
func (c *Conn) repeat(m *Message, before []byte) ([]byte, error) {
	if _, err := c.nc.Write(m.frame); err != nil {
		return nil, err
	}
	frame, payload, err := c.Next()
	if err != nil || before != nil && bytes.Equal(frame, before) {
		return before, err
	}
	return bytes.Clone(frame), m.check(frame, payload)
}
