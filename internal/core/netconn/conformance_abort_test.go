package netconn_test

import (
	"net"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// stubborn is a listener of connections whose Close reports its call and waits for leave.
type stubborn struct {
	net.Listener
	called, leave chan struct{}
}

func (l stubborn) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return stubbornConn{nc, l}, nil
}

type stubbornConn struct {
	net.Conn
	l stubborn
}

func (c stubbornConn) Close() error {
	c.l.called <- struct{}{}
	<-c.l.leave
	return c.Conn.Close()
}

// Neither Close of the engine nor Abort waits for the Close of a connection of unknown kind, which may take long. That
// Close happens under no lock that a writer needs.
func TestAbortNeverWaits(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, k kind) {
		r := newRig(t, k)
		conns := make(chan *netconn.Conn, 3)
		l := stubborn{r.listen(), make(chan struct{}, 100), make(chan struct{})}
		r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			conns <- c
			return &protocol{r: r, data: lines(echo)}, nil
		}}, l)
		leave := sync.OnceFunc(func() { close(l.leave) })
		defer leave()
		var talks [3]*wiretest.Talk
		for i := range talks {
			talks[i] = r.dial()
			talks[i].Send("hello\n")
			talks[i].Want("hello\n")
		}
		aborted := make(chan struct{})
		go func() {
			defer close(aborted)
			_ = r.eng.Close()
			for range talks {
				<-l.called // at least one Close is under way for each, or soon will be
			}
			for range talks {
				c := <-conns
				if _, err := c.Write([]byte("x")); err == nil {
					t.Error("Write after Abort succeeded")
				}
				c.Abort()
			}
		}()
		within(t, "Close and Abort, while every connection is busy closing", aborted)
		leave()
		for range talks {
			if err := r.wantEnd(); err != netconn.ErrAbort {
				t.Errorf("ended with %v, want ErrAbort", err)
			}
		}
	})
}
