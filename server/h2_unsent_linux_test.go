package server_test

import (
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// keeper is a listener that keeps the connections it has accepted.
type keeper struct {
	net.Listener
	conns chan *net.TCPConn
}

// Accept implements net.Listener.
func (k keeper) Accept() (net.Conn, error) {
	nc, err := k.Listener.Accept()
	if err == nil {
		k.conns <- nc.(*net.TCPConn)
	}
	return nc, err
}

// The kernel holds only little unsent output of an HTTP/2 connection, so that one stream does not delay another. HTTP/1.1
// has no such limit.
func TestH2HoldsLittleUnsent(t *testing.T) {
	t.Parallel()
	l := keeper{listen(t), make(chan *net.TCPConn, 1)}
	f := startOn(t, l, server.Config{Handler: server.HandlerFunc(h2Answers)})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	h1 := wiretest.Within(t, "a connection", l.conns)
	f.h2(t)
	h2 := wiretest.Within(t, "another", l.conns)
	if limit := wiretest.UnsentLimit(t, h2); limit < 16<<10 || limit > 64<<10 {
		t.Errorf("%d bytes", limit)
	}
	if limit := wiretest.UnsentLimit(t, h1); limit != 0 {
		t.Errorf("%d bytes over HTTP/1.1", limit)
	}
}
