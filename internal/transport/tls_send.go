package transport

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// errDeaf means that the peer has TLS speak, and does not listen.
var errPeerNotReading = errors.New("transport: the peer does not read what TLS answers")

// Write is the tls.Conn's, which holds a lock meanwhile that whoever sends needs, and perhaps the reader. So, but for the
// handshake, it never waits for the connection below: the sender sends what it has kept. If it is TLS itself that
// speaks, amid a read, the reader says so. An answer to a key update need not come before what is sent next
// (RFC 8446 §4.6.3).
func (l *tlsLayer) Write(p []byte) (int, error) {
	if l.owner == nil || !l.ready {
		return l.below.Write(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.encrypting {
		if l.ownOutput > maxOwnOutput {
			return 0, errPeerNotReading
		}
		l.ownOutput += len(p)
		l.wroteOwn.Store(true)
	}
	if l.out == nil {
		l.out = bufpool.Get(max(len(p), 4<<10))[:0]
	}
	used := len(l.out)
	l.out = append(bufpool.Grow(l.out, used+len(p))[:used], p...)
	return len(p), nil
}

// send encrypts b and sends it, as much as is taken without waiting or, with wait, all of it. n counts what has left
// encrypted. What could be encrypted leaves, even if the rest could not.
func (l *tlsLayer) send(b *Batch, fd int, last, wait bool) (n int, err error) {
	for {
		for !b.Empty() && l.encryptedSize() < maxEncrypted && err == nil {
			err = l.encrypt(b)
		}
		if last && err == nil && b.Empty() && !l.closeNotified {
			l.closeNotified = true
			l.setEncrypting(true)
			l.conn.CloseWrite()
			l.setEncrypting(false)
		}
		k, below := l.sendEncrypted(fd, last, wait)
		n += k
		switch {
		case below != nil:
			return n, below
		case err != nil || b.Empty() || l.unsent():
			return n, err
		}
	}
}

// sendSealed sends what is encrypted.
func (l *tlsLayer) sendEncrypted(fd int, last, wait bool) (n int, err error) {
	for l.takeEncrypted() && err == nil {
		var k int
		b := Batch{A: l.sending[l.sent:]}
		if wait {
			k, err = l.owner.sendBelow(&b)
		} else {
			k, err = trySocket(l.owner, &b, fd, last)
		}
		n += k
		if l.sent += k; l.sent < len(l.sending) {
			return n, err
		}
		bufpool.Put(l.sending)
		l.sending, l.sent = nil, 0
	}
	return n, err
}

// collect takes what has been encrypted, if what was taken before has left, and reports whether there is something.
func (l *tlsLayer) takeEncrypted() bool {
	if l.sending != nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending, l.out, l.ownOutput = l.out, nil, 0
	l.partlySent = l.sending != nil
	return l.partlySent
}

// seal encrypts the beginning of b.
func (l *tlsLayer) encrypt(b *Batch) error {
	n := min(len(b.A), Record)
	l.setEncrypting(true)
	_, err := l.conn.Write(b.A[:n])
	l.setEncrypting(false)
	b.advance(n)
	return err
}

func (l *tlsLayer) setEncrypting(sealing bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.encrypting = sealing
}

// waiting returns how many bytes have been encrypted that nobody has begun to send.
func (l *tlsLayer) encryptedSize() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.out)
}

// unsent reports whether something encrypted is still to be sent. It is the sender's.
func (l *tlsLayer) unsent() bool { return l.sending != nil || l.encryptedSize() > 0 }

// hangUp ends the connection below for whoever closes the tls.Conn while it runs: a hook. What TLS has said leaves, if
// nobody sends and the socket takes it.
func (l *tlsLayer) closeBelow() {
	c := l.owner
	if c.kind != socket {
		c.nc.Close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Raw().Control(func(fd uintptr) {
		if len(l.out) > 0 && !l.partlySent {
			b := Batch{A: l.out}
			sendSome(int(fd), &b, true)
		}
		sys.Shutdown(int(fd), sys.ShutBoth)
	})
}

// DropInput gives back what the reader has left. Nobody reads any more.
func (c *Conn) DropInput() {
	if l := c.tls; l != nil {
		l.r, l.w = 0, 0
		l.trim()
	}
}

// DropOutput gives back what could not be sent. Nobody sends any more.
func (c *Conn) DropOutput() {
	l := c.tls
	if l == nil {
		return
	}
	bufpool.Put(l.sending)
	l.sending = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	bufpool.Put(l.out)
	l.out = nil
}
