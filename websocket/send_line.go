package websocket

import (
	"context"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/backlog"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// frameOf returns a frame with p in a buffer from the pool. It is compressed only if no other message depends on it,
// because it may be dropped.
func (s *sender) frameOf(t MessageType, p []byte) ([]byte, error) {
	if !t.valid() {
		return nil, errType
	}
	k := t.finalKind()
	if s.compresses(len(p)) && s.compress.Independent() {
		compressed, err := s.compress.Compress(p)
		if err != nil {
			return nil, err
		}
		defer bufpool.Put(compressed)
		if len(compressed) < len(p) {
			k, p = k.With(wsframe.RSV1), compressed
		}
	}
	return s.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], k, p), nil
}

// send posts a message. If wait is false, BlockWhenSlow drops it instead of waiting for room.
func (s *sender) send(key string, t MessageType, p []byte, wait bool) error {
	frame, err := s.frameOf(t, p)
	if err != nil {
		return err
	}
	return s.post(backlog.Item{Frame: frame, Key: key}, wait)
}

// post sends p, or puts it into line. If wait is false, BlockWhenSlow drops it instead of waiting for room.
func (s *sender) post(p backlog.Item, wait bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.writable() {
		p.Release()
		return s.postError(s.notWritableError())
	}
	if !s.line.Moving() {
		if ok, err := s.tryPost(&p); ok || err != nil {
			p.Release()
			return s.postError(writeError(err))
		}
	}
	if err := s.lineUpLocked(p, wait); err != nil {
		p.Release()
		return s.postError(err)
	}
	return nil
}

// lineUpLocked puts p into line.
func (s *sender) lineUpLocked(p backlog.Item, wait bool) error {
	switch err := s.lineLocked().Add(p, wait); err {
	case nil:
		s.moveSoonLocked()
		return nil
	case backlog.ErrDropped:
		return ErrDropped
	case backlog.ErrSlow:
		s.closeSlowPeerLocked()
		return ErrSlowPeer
	default:
		return writeError(err)
	}
}

// postError returns err as the error of Send.
func (s *sender) postError(err error) error {
	if err == ErrClosed && s.reason() == ErrSlowPeer {
		return ErrSlowPeer
	}
	return err
}

// lineLocked returns the line, which it makes if needed.
func (s *sender) lineLocked() *backlog.Line {
	if s.line == nil {
		s.line = backlog.New(&s.mu, &s.cfg.backlog)
	}
	return s.line
}

// moveSoonLocked has the line moved on when the output queue has room, after something was put into it.
func (s *sender) moveSoonLocked() {
	if s.line.Moving() && !s.inLine.Swap(true) {
		s.link.OnRoom(s.moveOn)
	}
}

// tryPost hands p to the connection's output queue, and reports whether there was room.
func (s *sender) tryPost(p *backlog.Item) (ok bool, err error) {
	unit := netconn.Whole
	if p.Last() {
		unit = netconn.Final
	}
	if p.Shared != nil {
		return s.link.PostShared(unit, p.Shared)
	}
	return s.link.Post(unit, p.Frame)
}

// moveOn moves items from the line to the output queue while there is room. It runs when the queue has room again, and
// after a write that had its turn.
func (s *sender) moveOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.line.Move(s.tryPost) {
	case backlog.Full:
		s.link.OnRoom(s.moveOn)
	case backlog.Stands:
		s.inLine.Store(false)
		if s.line.Ending() {
			s.owner().closeSent()
		}
	}
}

// inTurn calls write once everything that waits in line is in the output queue. It gives up when ctx is done.
func (s *sender) inTurn(ctx context.Context, write func() error) error {
	s.mu.Lock()
	if !s.line.Moving() {
		s.mu.Unlock()
		return write()
	}
	if err := s.line.Err(); err != nil {
		s.mu.Unlock()
		return writeError(err)
	}
	turn := s.line.AddTurn()
	s.moveSoonLocked()
	s.mu.Unlock()
	select {
	case <-turn:
		defer s.moveOn()
		return write()
	case <-ctx.Done():
		s.mu.Lock()
		given := s.line.GiveUpTurn(turn)
		s.mu.Unlock()
		if !given { // it has just come
			s.moveOn()
		}
		return ctx.Err()
	}
}

// flushLine sends as much of the line as takes no waiting, and reports whether that was everything.
func (s *sender) flushLine() bool {
	for left := -1; s.inLine.Load(); {
		s.link.Push()
		s.mu.Lock()
		before := left
		left = s.line.Len()
		s.mu.Unlock()
		if left == before {
			return left == 0
		}
		s.moveOn()
	}
	return true
}

// dropped returns how many messages of the line were dropped.
func (s *sender) dropped() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line.Dropped()
}

// outcome returns the error for a message of SendFunc that has left all queues. refused is the error of post.
func (s *sender) outcome(sent bool, refused error) error {
	if sent {
		return nil
	}
	for _, err := range []error{refused, writeError(s.link.WriteError()), s.overErr()} {
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.line.Err(); err != nil { // the close frame has dropped it, and the end is still to come
		if reason := s.reason(); reason != nil {
			return reason
		}
		return writeError(err)
	}
	return ErrDropped
}
