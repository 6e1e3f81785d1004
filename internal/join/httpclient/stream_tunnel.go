package httpclient

import (
	"net"
	"sync"
	"sync/atomic"
)

// streamTunnel is a stream that a response to CONNECT has turned into a tunnel (RFC 9113 §8.5, RFC 9114 §4.4). One goroutine may read while
// another one writes. Any goroutine may call Close.
type streamTunnel struct {
	ex     exchange
	turn   turn
	closed atomic.Bool

	reading, writing sync.Mutex // held during Read, and during Write and CloseWrite
}

// Read implements io.Reader.
func (t *streamTunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.closed.Load() {
		return 0, net.ErrClosed
	}
	return t.ex.read(p)
}

// Write implements io.Writer.
func (t *streamTunnel) Write(p []byte) (int, error) {
	if err := t.send(p, false); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (t *streamTunnel) send(p []byte, end bool) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.closed.Load() {
		return net.ErrClosed
	}
	return t.ex.send(p, end)
}

// CloseWrite ends this side of the stream.
func (t *streamTunnel) CloseWrite() error { return t.send(nil, true) }

// Close ends the stream.
func (t *streamTunnel) Close() error {
	if t.closed.Swap(true) {
		return net.ErrClosed
	}
	t.ex.cancel(t.turn, net.ErrClosed)
	t.reading.Lock()
	defer t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	t.ex.leave()
	return nil
}
