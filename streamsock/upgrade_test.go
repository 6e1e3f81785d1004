package streamsock

import (
	"errors"
	"log/slog"
	"net"
	"testing"
)

// unwritable is a connection that can be read but not written to.
type unwritable struct{ net.Conn }

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("not now") }

// A place that was reserved for a connection is free again, once, if the response cannot be sent, even if OnRefused panics then.
func TestRefusalPanics(t *testing.T) {
	s := New(Config{
		MaxPeers: 1, OnRefused: func(Refusal) { panic("refused") }, Logger: slog.New(slog.DiscardHandler),
	})
	defer s.Shutdown(t.Context())
	nc, far := net.Pipe()
	defer far.Close()
	const request = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	a := &Arrival{Transport: "ws"}
	s.upgrade(unwritable{nc}, []byte(request), "", a)
	if a.Request == nil || s.peers.accepted != 0 || len(s.peers.reserved) != 0 {
		t.Errorf("asked for %v, %d places are taken", a.Request, s.peers.accepted)
	}
}
