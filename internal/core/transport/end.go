package transport

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// CloseWrite closes the write half. It returns false if the halves cannot be closed separately, or if closing fails.
func (c *Conn) CloseWrite() bool {
	half, ok := c.nc.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// Halves reports whether the halves can be closed separately.
func (c *Conn) Halves() bool {
	_, ok := c.nc.(interface{ CloseWrite() error })
	return ok
}

// Drop reads and drops what the peer still sends, until d has passed or most bytes were dropped (0: no limit). It
// returns true if it stopped at most bytes, so that more may come. Wakes do not interrupt it.
func (c *Conn) Drop(d time.Duration, most int) bool {
	c.mu.Lock()
	c.detached = true
	c.nc.SetReadDeadline(time.Now().Add(d))
	c.mu.Unlock()
	scratch := bufpool.Get(4 << 10)
	defer bufpool.Put(scratch)
	for left := most; left > 0 || most == 0; {
		n, err := c.nc.Read(scratch)
		if left -= n; err != nil {
			return false
		}
	}
	return true
}

// Buffers reports whether what is sent is known to be kept by the kernel until the peer reads it. Writing to a net.Pipe waits
// for the peer's Read instead.
func (c *Conn) Buffers() bool {
	if c.kind == socket {
		return true
	}
	_, ok := c.Cleartext().(syscall.Conn)
	return ok
}

// DropMeanwhile reads and drops what the peer sends, at most so many bytes, on a goroutine of its own, until stop is called or
// the connection is closed. The caller must be the reader, to whom what arrives no longer matters.
func (c *Conn) DropMeanwhile(most int) (stop func()) {
	stopped := new(atomic.Bool)
	c.ReaderWoken()
	go func() {
		scratch := bufpool.Get(4 << 10)
		defer bufpool.Put(scratch)
		for most > 0 {
			n, err := c.nc.Read(scratch)
			most -= n
			if err != nil && (stopped.Load() || !TimedOut(err) || !c.ReaderWoken()) {
				return
			}
		}
	}()
	return func() {
		stopped.Store(true)
		c.WakeReader()
	}
}

// Reset makes the following Close reset the connection and discard data that has not been sent. A foreign TLS
// connection would send its closing alert in Close, so the connection below it is closed first.
func (c *Conn) Reset() {
	below := c.Cleartext()
	if l, ok := below.(interface{ SetLinger(sec int) error }); ok {
		l.SetLinger(0)
	}
	if c.kind == brittle {
		below.Close()
	}
}

// Disconnect resets the connection at once, even while it is used. A net.Conn that is not a socket is closed, on a
// goroutine of its own because that may block; Close closes it a second time.
func (c *Conn) Disconnect() {
	if c.kind != socket {
		go func() {
			c.Reset()
			c.nc.Close()
		}()
		return
	}
	c.Raw().Control(func(fd uintptr) {
		if sys.Disconnect(int(fd)) != 0 {
			sys.Shutdown(int(fd), sys.ShutBoth)
		}
	})
}

// GiveAway detaches the connection and returns it. With TLS it returns the tls.Conn, which runs on below from now on.
func (c *Conn) GiveAway(below net.Conn) net.Conn {
	c.Detach()
	if c.tls == nil {
		return below
	}
	c.tls.owner, c.tls.Below = nil, below
	return c.tls.conn
}

// Close closes the connection: reads and writes in progress fail.
func (c *Conn) Close() {
	c.mu.Lock()
	c.detached = true
	c.mu.Unlock()
	c.nc.Close()
}
