package websocket

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// closeFrame returns a close frame in a buffer from the pool.
func (s *sender) closeFrame(code CloseCode, reason string) ([]byte, error) {
	var room [wsframe.MaxControlPayload]byte
	payload, err := wsframe.AppendClose(room[:0], wsframe.CloseCode(code), reason)
	if err != nil {
		return nil, frameError(err)
	}
	return s.control(wsframe.Close, payload), nil
}

// postCloseLast sends the close frame after everything that waits in line. Nothing can be sent after it. It takes over
// frame, a buffer from the pool.
func (s *sender) postCloseLast(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line.Moving() {
		if err := s.line.Err(); err != nil {
			bufpool.Put(frame)
			return writeError(err)
		}
		s.line.AddLast(frame)
		s.moveSoonLocked()
		return nil
	}
	err := s.postCloseLocked(frame)
	s.owner().closeSent()
	return err
}

// postCloseLocked drops the line and sends the close frame. It takes over frame, a buffer from the pool.
func (s *sender) postCloseLocked(frame []byte) error {
	if s.line != nil {
		bufpool.Put(s.line.Close())
	}
	_, err := s.link.Post(netconn.Final, frame)
	bufpool.Put(frame)
	return writeError(err)
}

// postClose drops the line and sends a close frame, as the answer to something that the peer did.
func (s *sender) postClose(code CloseCode, reason string) error {
	frame, err := s.closeFrame(code, reason)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.postCloseLocked(frame)
}

// closeSlowPeerLocked ends the connection because the peer is too slow. The close frame goes behind the data in the output
// queue, and the peer has CloseTimeout to take it.
func (s *sender) closeSlowPeerLocked() {
	s.fail(ErrSlowPeer)
	if frame, err := s.closeFrame(ClosePolicyViolation, ""); err == nil {
		s.postCloseLocked(frame)
	}
	go s.owner().conclude()
}

// giveUpLine drops the line because CloseTimeout has passed, and tries to send the close frame that was in it. It reports
// whether something was lost.
func (s *sender) giveUpLine() (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		messages, _ := s.line.Waiting()
		lost = messages > 0
		if last := s.line.Clear(); last != nil {
			s.postCloseLocked(last)
		}
	}
	return lost || s.link.Unsent()
}

// closeFor sends the close frame that err, the error of a read, calls for, if any, and returns the error for the user.
func (s *sender) closeFor(err error) error {
	var (
		ce *CloseError
		pe *ProtocolError
	)
	switch {
	case errors.As(err, &ce):
		// RFC 6455 §5.5.1: "it typically echos the status code it received"
		if s.postClose(ce.Code, "") == ErrClosed && s.closed() {
			return ErrClosed
		}
	case s.closed():
		return ErrClosed
	case errors.As(err, &pe):
		s.postClose(pe.Code, pe.Msg)
	case errors.Is(err, ErrTooBig):
		s.postClose(CloseMessageTooBig, "")
	}
	return endError(err)
}
