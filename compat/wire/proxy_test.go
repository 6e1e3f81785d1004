package wire

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// proxy is a bad network within the process. Each connection to it is one to the server, and what travels between them is
// cut and held back by dice, until its fate comes.
type proxy struct {
	fate   fate // of each connection
	l      net.Listener
	target string
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup
}

func newProxy(f fate) *proxy {
	p := &proxy{fate: f}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

func (p *proxy) listen() (net.Listener, error) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := p.standBefore(server.Addr().String()); err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}

// standBefore has p carry connections to addr.
func (p *proxy) standBefore(addr string) (err error) {
	p.target = addr
	if p.l, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		p.all.Go(p.accept)
	}
	return err
}

func (p *proxy) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", p.l.Addr().String())
}

func (p *proxy) close() (err error) {
	if p.l != nil {
		p.l.Close()
	}
	ended := make(chan struct{})
	go func() {
		p.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		err = errors.New("an end of a connection has not closed it")
	}
	p.cancel()
	<-ended
	return err
}

func (p *proxy) accept() {
	for n := 0; ; n++ {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.join(client.(*net.TCPConn), n) })
	}
}

// join carries both directions of a connection until they have ended.
func (p *proxy) join(client *net.TCPConn, n int) {
	defer client.Close()
	nc, err := new(net.Dialer).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		reset(client)
		return
	}
	server := nc.(*net.TCPConn)
	defer server.Close()
	stop := context.AfterFunc(p.ctx, func() { reset(client, server) })
	defer stop()
	var both sync.WaitGroup
	for _, w := range []*way{
		{src: client, dst: server, fate: p.fate.on(toServer), pauses: 100, dice: diceFor("to the server", uint64(n))},
		{src: server, dst: client, fate: p.fate.on(toClient), pauses: 100, dice: diceFor("to the client", uint64(n))},
	} {
		both.Go(func() {
			w.carry()
			if p.fate.kind == isClosed {
				reset(client, server) // one way was closed, and now the other has ended
			}
		})
	}
	both.Wait()
}

// reset ends connections so that their peers see a reset.
func reset(conns ...*net.TCPConn) {
	for _, nc := range conns {
		nc.SetLinger(0)
		nc.Close()
	}
}
