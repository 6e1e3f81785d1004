package breaks

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// How is a way to end connections.
type How int

// The ways.
const (
	End   How = iota // both ends see an end of the stream
	Reset            // both ends see a reset
	Ghost            // the client's end sees a reset; the server's sees nothing, and stays, silent
)

// link is a connection and the one to the server that carries it on.
type link struct {
	proxy          *Proxy
	client, server *net.TCPConn
	left           atomic.Int64 // bytes until the connection is reset
	ghost          bool         // the proxy's lock guards it
	over           chan struct{}
	once           sync.Once
}

// join carries a connection until it has ended.
func (p *Proxy) join(client *net.TCPConn) {
	p.conditions()
	p.mu.Lock()
	target, after := p.target, p.after
	p.mu.Unlock()
	nc, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		reset(client)
		return
	}
	l := &link{proxy: p, client: client, server: nc.(*net.TCPConn), over: make(chan struct{})}
	l.left.Store(after)
	p.mu.Lock()
	p.links[l] = true
	closed := p.closed
	p.mu.Unlock()
	if closed {
		l.cut(Reset)
	}
	var both sync.WaitGroup
	both.Go(func() { l.carry(client, l.server, after > 0) })
	both.Go(func() { l.carry(l.server, client, after > 0) })
	both.Wait()
	client.Close()
	l.server.Close()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// cut ends the connection.
func (l *link) cut(how How) {
	if how == Ghost {
		reset(l.client)
		return
	}
	if how == Reset { // before anybody sees that it is over, and closes
		l.client.SetLinger(0)
		l.server.SetLinger(0)
	}
	l.once.Do(func() { close(l.over) })
	l.client.Close()
	l.server.Close()
}

// reset ends connections so that their peers see a reset.
func reset(conns ...*net.TCPConn) {
	for _, nc := range conns {
		nc.SetLinger(0)
		nc.Close()
	}
}

// parcel is what is on its way.
type parcel struct {
	p   []byte
	due time.Time
	err error // in place of bytes: how they ended
}

// carry carries one direction until it has ended.
func (l *link) carry(src, dst *net.TCPConn, bounded bool) {
	parcels := make(chan parcel, 1024)
	go l.read(src, parcels)
	for {
		select {
		case <-l.over:
			return
		case x := <-parcels:
			if !l.deliver(x, src, dst, bounded) {
				return
			}
		}
	}
}

// read puts what comes from src on its way.
func (l *link) read(src *net.TCPConn, parcels chan<- parcel) {
	for err := error(nil); err == nil; {
		var n int
		buf := make([]byte, 16<<10)
		n, err = src.Read(buf)
		l.proxy.mu.Lock()
		due := time.Now().Add(l.proxy.delay)
		l.proxy.mu.Unlock()
		for _, x := range []parcel{{p: buf[:n], due: due}, {err: err, due: due}} {
			if len(x.p) == 0 && x.err == nil {
				continue
			}
			select {
			case parcels <- x:
			case <-l.over:
				return
			}
		}
	}
}

// deliver writes a parcel when its time has come, and reports whether there may be more.
func (l *link) deliver(x parcel, src, dst *net.TCPConn, bounded bool) bool {
	_, rate := l.proxy.conditions()
	wait := time.Until(x.due)
	if rate > 0 {
		wait = max(wait, time.Duration(len(x.p))*time.Second/time.Duration(rate))
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-l.over:
			return false
		}
	}
	l.proxy.mu.Lock()
	ghost := l.ghost
	l.proxy.mu.Unlock()
	switch {
	case ghost:
		return l.swallow(x, src)
	case x.err == io.EOF:
		return dst.CloseWrite() != nil
	case x.err != nil:
		l.cut(Reset)
		return false
	case bounded:
		return l.writeBounded(x.p, dst)
	}
	if _, err := dst.Write(x.p); err != nil {
		l.cut(Reset)
		return false
	}
	return true
}

// haunt swallows what the server still sends on a connection whose client is gone, and keeps it until the server ends it.
func (l *link) swallow(x parcel, src *net.TCPConn) bool {
	if x.err != nil && src == l.server {
		l.cut(Reset)
		return false
	}
	if x.err != nil {
		<-l.over
		return false
	}
	return true
}

// spend writes what the connection may still carry, and resets it when that was all.
func (l *link) writeBounded(p []byte, dst *net.TCPConn) bool {
	left := l.left.Add(-int64(len(p)))
	if left <= 0 {
		p = p[:max(0, int64(len(p))+left)]
	}
	_, err := dst.Write(p)
	if err == nil && left > 0 {
		return true
	}
	// Bytes that were written are to arrive: a reset behind them would take them back.
	dst.CloseWrite()
	time.AfterFunc(10*time.Millisecond, func() { l.cut(Reset) })
	<-l.over
	return false
}
