package transport

import (
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// CloseWrite ends our half. It reports false where the halves cannot be closed one by one, or that failed.
func (c *Conn) CloseWrite() bool {
	half, ok := c.nc.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// Halves reports whether the halves can be closed one by one.
func (c *Conn) Halves() bool {
	_, ok := c.nc.(interface{ CloseWrite() error })
	return ok
}

// Drop reads what the peer still sends and drops it, until d has passed or most bytes were dropped (0: any number): in that
// case it returns true, and more may come. No wake disturbs it.
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

// Reset has the Close that follows throw away what the peer has not been sent, and reset the connection. Somebody else's
// TLS would say goodbye in Close: the connection below it is closed before.
func (c *Conn) Reset() {
	below := c.Cleartext()
	if l, ok := below.(interface{ SetLinger(sec int) error }); ok {
		l.SetLinger(0)
	}
	if c.kind == brittle {
		below.Close()
	}
}

// Disconnect resets the connection at once, whoever is busy on it. A net.Conn of unknown kind is closed, and again by
// Close; that may take a while.
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

// Detach ends what others may do to the connection: no wake reaches it any more, and no deadline is left.
func (c *Conn) Detach() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detached = true
	c.nc.SetDeadline(never)
}

// GiveAway detaches the connection and returns it, or the tls.Conn on it, which runs on below from now on.
func (c *Conn) GiveAway(below net.Conn) net.Conn {
	c.Detach()
	if c.tls == nil {
		return below
	}
	c.tls.owner, c.tls.below = nil, below
	return c.tls.conn
}

// Close closes the connection: a read or write that is under way fails.
func (c *Conn) Close() {
	c.mu.Lock()
	c.detached = true
	c.mu.Unlock()
	c.nc.Close()
}
