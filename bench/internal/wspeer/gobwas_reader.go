package wspeer

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/gobwas/ws"
)

// GobwasReader reads a client's messages with gobwas/ws into memory that it reuses, which package wsutil does not do.
type GobwasReader struct {
	br      *bufio.Reader
	head    []byte
	frame   []byte // space for a header, and the received part of a message
	control [ws.MaxControlFramePayloadSize]byte
	state   ws.State
	opcode  ws.OpCode // of a fragmented message
}

// NewGobwas returns a reader of the messages in r.
func NewGobwas(r io.Reader) *GobwasReader {
	return &GobwasReader{br: bufio.NewReaderSize(r, 4<<10), head: make([]byte, ws.MaxHeaderSize), state: ws.StateServerSide}
}

// longestMessage is the largest number of bytes in a message.
const longestMessage = 1 << 20

var errLong = errors.New("gobwas: a message that is too long")

// Next reads a message or a control frame; p is valid until the next call.
func (g *GobwasReader) Next() (op ws.OpCode, p []byte, err error) {
	for {
		h, err := ws.ReadHeaderBuffer(g.br, g.head)
		if err == nil {
			err = ws.CheckHeader(h, g.state)
		}
		if err != nil {
			return 0, nil, err
		}
		if h.OpCode.IsControl() {
			p = g.control[:h.Length]
			return h.OpCode, p, g.payload(h, p)
		}
		if err := g.data(h); err != nil {
			return 0, nil, err
		}
		if h.OpCode != ws.OpContinuation {
			g.opcode = h.OpCode
		}
		if h.Fin {
			g.state = g.state.Clear(ws.StateFragmented)
			return g.opcode, g.frame[ws.MaxHeaderSize:], nil
		}
		g.state = g.state.Set(ws.StateFragmented)
	}
}

// data reads the payload of a data frame and appends it to its message.
func (g *GobwasReader) data(h ws.Header) error {
	if h.OpCode != ws.OpContinuation {
		g.frame = append(g.frame[:0], make([]byte, ws.MaxHeaderSize)...)
	}
	at := len(g.frame)
	if h.Length > int64(longestMessage-at) {
		return errLong
	}
	end := at + int(h.Length)
	g.frame = slices.Grow(g.frame, int(h.Length)+ws.MaxHeaderSize)[:end] // WriteHeaderBuffer needs space for the longest header
	return g.payload(h, g.frame[at:])
}

func (g *GobwasReader) payload(h ws.Header, p []byte) error {
	_, err := io.ReadFull(g.br, p)
	ws.Cipher(p, h.Mask, 0)
	return err
}

// whole returns a server's frame with p, which must be the message that Next has just returned.
func (g *GobwasReader) whole(op ws.OpCode, p []byte) []byte {
	h := ws.Header{Fin: true, OpCode: op, Length: int64(len(p))}
	frame := g.frame[ws.MaxHeaderSize-ws.HeaderSize(h):]
	ws.WriteHeaderBuffer(io.Discard, h, frame) // writes the header into frame; it only fails if frame is too short
	return frame
}
