package sockpeer

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/shockwave-go/shockwave/streamsock"
)

// newOurs returns a socket with the default settings. It calls take for messages and events, one at a time for each peer: from
// Config.OnMessage, or from a goroutine that calls RecvBatch.
func newOurs(cfg streamsock.Config, callbacks bool, take func(m *streamsock.Message)) *streamsock.Socket {
	if callbacks {
		cfg.OnMessage = func(m streamsock.Message) { take(&m) }
		return streamsock.New(cfg)
	}
	s := streamsock.New(cfg)
	go receive(s, take)
	return s
}

// receive receives messages until the socket is closed.
func receive(s *streamsock.Socket, take func(m *streamsock.Message)) {
	msgs := make([]streamsock.Message, 256)
	for {
		n, err := s.RecvBatch(context.Background(), msgs)
		if err != nil {
			return
		}
		for i := range msgs[:n] {
			take(&msgs[i])
			msgs[i].Release()
		}
	}
}

// serveOurs binds a socket and returns its address.
func serveOurs(name, transport, at string, cfg *tls.Config) (addr string, err error) {
	var group streamsock.Group
	s := newOurs(streamsock.Config{TLSConfig: cfg, MaxPeers: -1}, name == Callbacks, func(m *streamsock.Message) {
		switch m.Kind {
		case streamsock.EventConnected:
			p := m.Peer
			p.SetValue(&session{send: p.Send, join: func() { group.Join(p) }, tell: func(b []byte) { group.Broadcast(b) }})
		case streamsock.KindBinary:
			_ = m.Peer.Value().(*session).take(m.Data) // fails if the peer is gone
		}
	})
	group = s.Group("all")
	bound, err := s.Bind(transport + "://" + at)
	if err != nil {
		return "", err
	}
	return bound[0][len(transport+"://"):], nil
}

// driveOurs does a task with a socket that connects.
func driveOurs(name, transport, addr string, cfg *tls.Config, t Task) (*Account, error) {
	var d *driver
	var peer *streamsock.Peer
	events := make(chan error)
	s := newOurs(streamsock.Config{DialTLSConfig: cfg}, name == Callbacks, func(m *streamsock.Message) {
		switch m.Kind {
		case streamsock.EventConnected:
			peer, d = m.Peer, newDriver(t, m.Peer.Send)
			events <- nil
		case streamsock.EventDisconnected:
			events <- fmt.Errorf("the server has gone: %v", m.End)
		default:
			if over, err := d.take(m.Data); over || err != nil {
				events <- err
			}
		}
	})
	if _, err := s.Connect(transport + "://" + addr); err != nil {
		return nil, err
	}
	wait := func() error { return <-events }
	if err := wait(); err != nil {
		return nil, err
	}
	a, err := d.run(wait)
	if err == nil {
		window := int(peer.Stats().Window)
		a.Window = &window
	}
	return a, err
}
