package muxpeer

import (
	"encoding/binary"
	"errors"
	"io"
)

// answer serves a channel as its first message, the order, says.
func answer(c Channel) {
	defer c.Close()
	var first [16]byte
	order, err := c.Receive(first[:])
	if err != nil {
		return
	}
	echo := string(order) == OrderEcho
	var buf []byte
	for count := uint64(0); ; {
		p, err := c.Receive(buf)
		switch {
		case err != nil:
			return
		case echo:
			err = c.Send(p)
		case len(p) > 0:
			count++
		default:
			err = c.Send(binary.BigEndian.AppendUint64(nil, count))
			count = 0
		}
		if err != nil {
			return
		}
		buf = p[:cap(p)]
	}
}

// stream is a channel of length-prefixed messages on a stream of bytes.
type stream struct {
	io.ReadWriteCloser
	in  [4]byte
	out []byte
}

func (s *stream) Send(p []byte) error {
	s.out = append(binary.BigEndian.AppendUint32(s.out[:0], uint32(len(p))), p...)
	_, err := s.Write(s.out)
	return err
}

func (s *stream) Receive(buf []byte) ([]byte, error) {
	if _, err := io.ReadFull(s, s.in[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(s.in[:])
	if n > Largest {
		return nil, errors.New("a message is too long")
	}
	if int(n) > len(buf) {
		buf = make([]byte, n)
	}
	_, err := io.ReadFull(s, buf[:n])
	return buf[:n], err
}
