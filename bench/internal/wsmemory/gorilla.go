package wsmemory

import (
	"github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

func (s *stream) gorilla() (*websocket.Conn, error) {
	w, r := s.handshake()
	return new(websocket.Upgrader).Upgrade(w, r, nil)
}

func readGorilla(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.gorilla()
	buf := make([]byte, 0, 4<<10)
	return func() error {
		for {
			_, r, err := c.NextReader()
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

func keepGorilla(s *stream, got func(p []byte)) (func() error, error) {
	c, err := s.gorilla()
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

func writeGorilla(s *stream) (func(p []byte) error, error) {
	c, err := s.gorilla()
	return func(p []byte) error { return c.WriteMessage(websocket.TextMessage, p) }, err
}
