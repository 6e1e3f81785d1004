package breaks

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// How is a way to end a connection.
type How int

// The ways to end a connection.
const (
	End   How = iota // both ends see an end of the stream
	Reset            // both ends see a reset
	Ghost            // the client's end sees a reset; the server's end stays open and silent
)

// link is a client's connection and the proxy's connection to the server.
type link struct {
	proxy          *Proxy
	client, server *net.TCPConn
	left           atomic.Int64 // bytes until the link is reset
	ghost          bool         // guarded by the proxy's lock
	over           chan struct{}
	once           sync.Once
}

// join connects client to the server and returns when the link has ended.
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

// cut ends the link.
func (l *link) cut(how How) {
	if how == Ghost {
		reset(l.client)
		return
	}
	if how == Reset { // before a goroutine notices the end and closes
		l.client.SetLinger(0)
		l.server.SetLinger(0)
	}
	l.once.Do(func() { close(l.over) })
	l.client.Close()
	l.server.Close()
}

// reset closes connections so that their peers see a reset.
func reset(conns ...*net.TCPConn) {
	for _, nc := range conns {
		nc.SetLinger(0)
		nc.Close()
	}
}

// parcel is data in transit.
type parcel struct {
	p   []byte
	due time.Time
	err error // instead of data: the end of the direction
}

// carry forwards one direction until it ends.
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

// read reads from src and puts what it reads in transit.
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

// deliver writes a parcel when it is due. It reports whether more may follow.
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

// swallow discards what the server still sends on a ghost, and keeps the server's end open until the server closes it.
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

// writeBounded writes what the link may still carry, and resets the link after that.
func (l *link) writeBounded(p []byte, dst *net.TCPConn) bool {
	left := l.left.Add(-int64(len(p)))
	if left <= 0 {
		p = p[:max(0, int64(len(p))+left)]
	}
	_, err := dst.Write(p)
	if err == nil && left > 0 {
		return true
	}
	// The bytes written should arrive: an immediate reset would discard them.
	dst.CloseWrite()
	time.AfterFunc(10*time.Millisecond, func() { l.cut(Reset) })
	<-l.over
	return false
}
