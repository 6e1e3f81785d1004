package websocket

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// nextLocked waits for a message to begin and returns its reader, whose reads end when ctx is done.
func (r *receiver) nextLocked(ctx context.Context) (MessageType, io.Reader, error) {
	if r.isServed() {
		return 0, nil, errCallbacks
	}
	if err := r.leaveMessageLocked(); err != nil {
		return 0, nil, err
	}
	if err := r.readExpiredLocked(); err != nil {
		return 0, nil, err
	}
	m := &messageReader{r: r, ctx: ctx}
	if !r.in.Kept() && !r.in.Begun() {
		_, ended, err := r.partLocked(nil)
		if err != nil {
			return 0, nil, err
		}
		if ended {
			m.err = io.EOF // the message is empty
			return r.in.messageType(), m, nil
		}
	}
	if !r.in.Kept() && r.in.Compressed() {
		p, err := r.readLocked(nil)
		if err != nil {
			return 0, nil, err
		}
		r.in.Keep(p)
	}
	r.message = m
	return r.in.messageType(), m, nil
}

// messageReader reads the payload of one message.
type messageReader struct {
	r   *receiver
	ctx context.Context
	at  int   // how many bytes of the gathered payload have been read
	err error // sticky: every later read fails with it
}

// Read implements io.Reader.
func (m *messageReader) Read(p []byte) (n int, err error) {
	if m.ctx.Done() == nil {
		m.r.mu.Lock()
		defer m.r.unlock()
		return m.readLocked(p)
	}
	err = m.r.readUntil(m.ctx, func() (err error) {
		n, err = m.readLocked(p)
		return err
	})
	return n, err
}

// readLocked is Read; the receiver's lock is held.
func (m *messageReader) readLocked(p []byte) (int, error) {
	r := m.r
	if m.err != nil || len(p) == 0 {
		return 0, m.err
	}
	if err := r.readExpiredLocked(); err != nil {
		return 0, err
	}
	if r.in.Gathered() != nil {
		if n := m.gathered(p); n > 0 || m.err != nil {
			return n, m.errAfter(n)
		}
	}
	n, ended, err := r.partLocked(p)
	switch {
	case ended:
		m.err, r.message = io.EOF, nil
	case err == netconn.ErrInterrupted || errors.Is(err, os.ErrDeadlineExceeded):
		return 0, err
	case err != nil:
		m.err = err
	}
	return n, m.errAfter(n)
}

// errAfter returns the error that goes with n bytes: errors are returned after the last byte, not with it.
func (m *messageReader) errAfter(n int) error {
	if n > 0 {
		return nil
	}
	return m.err
}

// gathered reads payload that was gathered before the reader existed: a whole message, or the beginning of one.
func (m *messageReader) gathered(p []byte) int {
	payload := m.r.in.Gathered()
	n := copy(p, payload[m.at:])
	if m.at += n; m.at < len(payload) {
		return n
	}
	if m.r.in.PassGathered() {
		m.r.message, m.err = nil, io.EOF
	}
	return n
}
