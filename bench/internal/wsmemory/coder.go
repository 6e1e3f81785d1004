package wsmemory

import (
	"context"

	"github.com/coder/websocket"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

func (s *stream) coder() (*websocket.Conn, error) {
	w, r := s.handshake()
	return websocket.Accept(w, r, nil)
}

func readCoder(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.coder()
	buf := make([]byte, 0, 4<<10)
	return func() error {
		for {
			_, r, err := c.Reader(context.Background())
			if err == nil {
				buf, err = wspeer.ReadAll(buf, r)
			}
			if err != nil {
				return err
			}
			got(buf)
		}
	}, err
}

func keepCoder(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.coder()
	return func() error {
		for {
			_, p, err := c.Read(context.Background())
			if err != nil {
				return err
			}
			got(p)
		}
	}, err
}

func writeCoder(s *stream) (func(p []byte) error, error) {
	c, err := s.coder()
	return func(p []byte) error { return c.Write(context.Background(), websocket.MessageText, p) }, err
}
