package httpclient_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// respondToAll responds to every request with its path, until the connection ends.
func respondToAll(nc net.Conn) {
	r := bufio.NewReader(nc)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			nc.Close()
			return
		}
		io.Copy(io.Discard, req.Body)
		fmt.Fprint(nc, ok(req.URL.Path[1:]))
	}
}

// serving lets all connections be opened, and responds to all requests.
type serving struct {
	rig       *rig
	quit      chan bool
	accepting sync.WaitGroup
	wg        sync.WaitGroup
	most      atomic.Int64 // as the client counts them: of those that end the last bytes may be on their way
}

func (r *rig) serveAll() *serving {
	s := &serving{rig: r, quit: make(chan bool)}
	s.accepting.Go(func() {
		for {
			select {
			case <-s.quit:
				return
			case k := <-r.opens:
				near, far := r.pair()
				s.most.Store(max(s.most.Load(), r.Stats().Open))
				s.wg.Go(func() { respondToAll(far) })
				k.reply <- opened{o: httpclient.Opened{Conn: near}}
			}
		}
	})
	return s
}

func (s *serving) stop() {
	close(s.quit)
	s.accepting.Wait()
	s.rig.mu.Lock()
	for _, nc := range s.rig.peers {
		nc.Close()
	}
	s.rig.mu.Unlock()
	s.wg.Wait()
}

// one is a listener with one connection.
type one struct {
	conns chan net.Conn
	addr  net.Addr
	once  sync.Once
}

// Accept implements net.Listener.
func (l *one) Accept() (net.Conn, error) {
	if nc, ok := <-l.conns; ok {
		return nc, nil
	}
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *one) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

// Addr implements net.Listener.
func (l *one) Addr() net.Addr { return l.addr }

// handle2 serves HTTP/2 on nc by net/http, until the test ends.
func handle2(t testing.TB, nc net.Conn, h http.HandlerFunc) {
	l := &one{conns: make(chan net.Conn, 1), addr: nc.LocalAddr()}
	l.conns <- nc
	s := &http.Server{Handler: h, Protocols: new(http.Protocols), ErrorLog: quiet}
	s.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() { nc.Close(); s.Close(); <-ended })
}
