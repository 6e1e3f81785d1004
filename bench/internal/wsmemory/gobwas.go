package wsmemory

import (
	"io"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

func readGobwas(s *stream, got func(p []byte)) (func() error, error) {
	r := wspeer.NewGobwas(s)
	return func() error {
		for {
			_, p, err := r.Next()
			if err != nil {
				return err
			}
			got(p)
		}
	}, nil
}

func keepGobwas(s *stream, got func(p []byte)) (func() error, error) {
	return func() error {
		for {
			p, _, err := wsutil.ReadClientData(s)
			if err != nil {
				return err
			}
			got(p)
		}
	}, nil
}

func writeGobwas(s *stream) (func(p []byte) error, error) {
	var frame []byte
	return func(p []byte) error {
		h := ws.Header{Fin: true, OpCode: ws.OpText, Length: int64(len(p))}
		frame = append(frame[:0], make([]byte, ws.MaxHeaderSize)...)
		if err := ws.WriteHeaderBuffer(io.Discard, h, frame); err != nil { // writes the header into frame
			return err
		}
		frame = append(frame[:ws.HeaderSize(h)], p...)
		_, err := s.Write(frame)
		return err
	}, nil
}
