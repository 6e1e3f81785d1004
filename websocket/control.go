package websocket

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// pingCount counts the pings of this process, to give each one a different payload.
var pingCount atomic.Uint64

// answer handles a control frame of the peer. A non-nil error ends the connection.
func (s *sender) answer(e wsmessage.Event, p []byte) error {
	switch e {
	case wsmessage.Ping:
		return s.pong(p)
	case wsmessage.Pong:
		s.ponged(p)
		return nil
	}
	code, reason, err := wsframe.ParseClose(p)
	if err != nil {
		return frameError(err)
	}
	return &CloseError{Code: CloseCode(code), Reason: string(reason)}
}

// pong answers a ping (RFC 6455 §5.5.3). It does not wait for a peer that sends pings but does not read: such a peer
// misses pongs, and so does any peer while the write deadline has passed.
func (s *sender) pong(p []byte) error {
	if s.link.WriteExpired() {
		return nil
	}
	frame := s.control(wsframe.Pong, p)
	defer bufpool.Put(frame)
	if _, err := s.link.Post(netconn.Part, frame); err != net.ErrClosed { // ErrClosed: behind our close frame
		return err
	}
	return nil
}

// ping sends a ping and waits for its pong.
func (s *sender) ping(ctx context.Context) error {
	if !s.writable() {
		return s.notWritableError()
	}
	payload := binary.BigEndian.AppendUint64(nil, pingCount.Add(1))
	answered := s.expectPong(string(payload))
	defer s.forgetPing(string(payload))
	frame := s.control(wsframe.Ping, payload)
	defer bufpool.Put(frame)
	if err := s.link.PostContext(ctx, netconn.Part, frame); err != nil {
		return writeError(err)
	}
	if err := s.link.Push(); err != nil {
		return writeError(err)
	}
	select {
	case <-answered:
		return nil
	case <-s.wait():
		return s.overErr()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expectPong returns a channel that is closed by the pong with the payload.
func (s *sender) expectPong(payload string) <-chan struct{} {
	answered := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pongs == nil {
		s.pongs = map[string]chan struct{}{}
	}
	s.pongs[payload] = answered
	return answered
}

func (s *sender) forgetPing(payload string) {
	s.mu.Lock()
	delete(s.pongs, payload)
	s.mu.Unlock()
}

// ponged wakes the call of Ping that waits for this pong. Other pongs are unsolicited and ignored (RFC 6455 §5.5.3).
func (s *sender) ponged(payload []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answered, ok := s.pongs[string(payload)]; ok {
		close(answered)
		delete(s.pongs, string(payload))
	}
}
