package wsmemory

import (
	"github.com/shockwave-go/shockwave/websocket"
)

func (s *stream) ours(cfg websocket.Config) (*websocket.Conn, error) {
	w, r := s.handshake()
	return websocket.Accept(w, r, cfg)
}

func readInto(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.ours(websocket.Config{})
	buf := make([]byte, 4<<10)
	return func() error {
		for {
			_, n, err := c.ReadMessageInto(buf)
			if err != nil {
				return err
			}
			got(buf[:n])
		}
	}, err
}

func readViews(s *stream, got func(p []byte)) (func() error, error) {
	over := make(chan error, 1)
	_, err := s.ours(websocket.Config{
		OnMessage: func(_ *websocket.Conn, _ websocket.MessageType, p []byte) { got(p) },
		OnClose:   func(_ *websocket.Conn, err error) { over <- err },
	})
	return func() error { return <-over }, err
}

func keepOurs(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.ours(websocket.Config{})
	return func() error {
		for {
			_, p, err := c.ReadMessage()
			if err != nil {
				return err
			}
			got(p)
		}
	}, err
}

func writeOurs(s *stream) (func(p []byte) error, error) {
	c, err := s.ours(websocket.Config{})
	return func(p []byte) error { return c.WriteMessage(websocket.TextMessage, p) }, err
}
