package transport

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// errPeerNotReading means that the peer makes TLS send output but does not read it.
var errPeerNotReading = errors.New("transport: the peer does not read what TLS sends")

// Write is called by the tls.Conn, which holds a lock meanwhile that the sender needs, and sometimes the reader. So it
// never waits for the connection below, except during the handshake: the data is kept for the sender. The reader
// reports output of TLS itself, written during a read, by TLSWrote. The answer to a key update need not precede the
// data that is sent next (RFC 8446 §4.6.3).
func (l *tlsLayer) Write(p []byte) (int, error) {
	if l.owner == nil || !l.ready {
		return l.Below.Write(p)
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

// send encrypts b and sends what is taken without waiting or, with wait, all of it. n counts encrypted bytes that were
// sent. Data that could be encrypted is sent even if the encryption of the rest failed.
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

// sendEncrypted sends encrypted data.
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

// takeEncrypted makes the next encrypted data the data being sent, if there is none, and reports whether there is any.
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

// encrypt encrypts the beginning of b.
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

// encryptedSize returns the size of the encrypted data that is not being sent yet.
func (l *tlsLayer) encryptedSize() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.out)
}

// unsent reports whether encrypted data still has to be sent. Only the sender may call it.
func (l *tlsLayer) unsent() bool { return l.sending != nil || l.encryptedSize() > 0 }

// closeBelow ends the connection below when a callback closes the tls.Conn while it has an owner. The output of TLS
// itself is sent if the socket takes it and no send is in progress.
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
