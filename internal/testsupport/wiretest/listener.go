package wiretest

import (
	"context"
	"net"
	"sync"
)

// Listener is a listener for pipes. All methods may be called concurrently.
type Listener struct {
	server, client Config
	waiting        chan net.Conn
	closing        sync.Once
	closed         chan struct{}
}

// Listen returns a listener whose connections are pipes: server configures the accepted end, client the dialling end. A
// Random split must not be shared between pipes: use DialConfig for that.
func Listen(server, client Config) *Listener {
	return &Listener{
		server: server, client: client,
		waiting: make(chan net.Conn),
		closed:  make(chan struct{}),
	}
}

// Dial connects and returns the client's end, once the server has accepted the other one.
func (l *Listener) Dial() (*Conn, error) { return l.DialConfig(l.server, l.client) }

// DialConfig is Dial with other configurations than the listener's.
func (l *Listener) DialConfig(server, client Config) (*Conn, error) {
	return l.DialContext(context.Background(), server, client)
}

// DialContext is DialConfig that gives up when ctx is done.
func (l *Listener) DialContext(ctx context.Context, server, client Config) (*Conn, error) {
	near, far := Pipe(server, client)
	select {
	case l.waiting <- near:
		return far, nil
	case <-l.closed:
		return nil, opError("dial", net.ErrClosed)
	case <-ctx.Done():
		return nil, opError("dial", ctx.Err())
	}
}

// Accept waits for a Dial.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case nc := <-l.waiting:
		return nc, nil
	case <-l.closed:
		return nil, opError("accept", net.ErrClosed)
	}
}

// Close makes Accept and Dial fail. Existing connections are not affected.
func (l *Listener) Close() error {
	err := opError("close", net.ErrClosed)
	l.closing.Do(func() {
		close(l.closed)
		err = nil
	})
	return err
}

// Addr returns an address that names the listener.
func (l *Listener) Addr() net.Addr { return addr("listener") }
