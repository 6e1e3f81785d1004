package httpclient

import (
	"net"
	"sync"
	"sync/atomic"
)

// h2Tunnel is a stream that a response to CONNECT has made a tunnel (RFC 9113 §8.5). One goroutine reads, one writes; any
// closes.
type h2Tunnel struct {
	s      *stream
	t      turn
	closed atomic.Bool

	reading, writing sync.Mutex // held meanwhile
}

// Read implements io.Reader.
func (t *h2Tunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.closed.Load() {
		return 0, net.ErrClosed
	}
	return t.s.read(p)
}

// Write implements io.Writer.
func (t *h2Tunnel) Write(p []byte) (int, error) {
	if err := t.send(p, false); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (t *h2Tunnel) send(p []byte, end bool) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.closed.Load() {
		return net.ErrClosed
	}
	return t.s.send(p, end)
}

// CloseWrite ends this side's half.
func (t *h2Tunnel) CloseWrite() error { return t.send(nil, true) }

// Close ends the stream.
func (t *h2Tunnel) Close() error {
	if t.closed.Swap(true) {
		return net.ErrClosed
	}
	t.s.cancel(t.t, net.ErrClosed)
	t.reading.Lock()
	defer t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	t.s.leave()
	return nil
}
