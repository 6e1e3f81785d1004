package transport

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// NoDescriptor is passed to TrySend by callers outside the latch.
const NoDescriptor = -1

// separateFrom is the size from which a large piece is not gathered: the data before it is sent by a system call of its
// own, with MSG_MORE. Gathered sends of 1 MiB took a fifth more kernel instructions than plain ones, and up to twice
// the time; at 64 KiB gathering is cheaper by 5 %.
const separateFrom = 256 << 10

// A brittle connection writes in pieces of this size, so that its progress can be seen now and then.
const brittlePiece = 64 << 10

// below is the connection below TLS, or all of a connection without TLS.
type below struct {
	wakes
	w *writer // the sender's; created when needed
}

// Raw returns the raw connection of a socket. It is created on each call, so that an idle connection does not keep one.
func (c *below) Raw() syscall.RawConn {
	raw, err := c.nc.(syscall.Conn).SyscallConn()
	if err != nil {
		panic("transport: a socket without a raw connection: " + err.Error()) // only for a nil *net.TCPConn
	}
	return raw
}

// foreignTLS is a TLS connection that was created elsewhere: a *tls.Conn, as the listener of tls.NewListener accepts
// it, or a type that embeds one. The connection below it cannot be used without the bytes that it has read ahead, so it
// is used as it is.
type foreignTLS interface {
	net.Conn
	HandshakeContext(ctx context.Context) error
	ConnectionState() tls.ConnectionState
	NetConn() net.Conn
}

// Cleartext returns the connection below TLS, also below foreign TLS.
func (c *below) Cleartext() net.Conn {
	if t, ok := c.nc.(foreignTLS); ok {
		return t.NetConn()
	}
	return c.nc
}

// writer sends on a socket, outside the latch.
type writer struct {
	raw   syscall.RawConn
	try   func(fd uintptr) bool // sends; returns false to wait for room
	batch Batch
	sent  int
	errno syscall.Errno
	once  bool // try does not wait
}

// writerOf returns c's writer and creates it if necessary. Only the sender may call it.
func writerOf(c *below) *writer {
	if c.w == nil {
		w := &writer{raw: c.Raw()}
		w.try = func(fd uintptr) bool {
			if b := &w.batch; len(b.B) == 0 && len(b.More) == 0 && w.once { // common; few frames: see output.Flight
				n, errno := sys.Send(int(fd), b.A, false)
				if b.A = b.A[n:]; errno != syscall.EAGAIN {
					w.sent, w.errno = n, errno
				}
				return true
			}
			n, errno := sendSome(int(fd), &w.batch, false)
			w.sent += n
			w.errno = errno
			return errno != 0 || w.once || w.batch.Empty()
		}
		c.w = w
	}
	return c.w
}

// send sends b; with once it does not wait. A deadline interrupts a wait with a timeout.
func (w *writer) send(b *Batch, once bool) (n int, err error) {
	w.batch, w.sent, w.errno, w.once = *b, 0, 0, once
	err = w.raw.Write(w.try)
	*b = w.batch
	w.batch = Batch{}
	if w.errno != 0 {
		err = w.errno
	}
	return w.sent, err
}

// tryNow sends as much of b as the socket takes without waiting.
func (w *writer) tryNow(b *Batch) (n int, err error) {
	w.batch, w.sent, w.errno, w.once = *b, 0, 0, true
	if err = w.raw.Write(w.try); err != nil && TimedOut(err) {
		err = w.tryAnyway()
	}
	*b = w.batch
	w.batch = Batch{}
	if w.errno != 0 {
		err = w.errno
	}
	return w.sent, err
}

// tryAnyway calls try although a deadline has passed, as WakeWriter leaves one: that matters only to a caller that waits. A
// caller that has sent nothing although there is room would try again and again.
//
//go:noinline
func (w *writer) tryAnyway() error { return w.raw.Control(func(fd uintptr) { w.try(fd) }) }

// sendSome sends what the socket takes without waiting. last says that the end of the stream follows at once.
func sendSome(fd int, b *Batch, last bool) (moved int, errno syscall.Errno) {
	for !b.Empty() {
		var n int
		if len(b.B) == 0 || len(b.B) >= separateFrom {
			n, errno = sys.Send(fd, b.A, last || len(b.B) > 0)
		} else {
			n, errno = sendTwo(fd, b)
		}
		if errno == syscall.EAGAIN {
			return moved, 0
		}
		if errno != 0 {
			return moved, errno
		}
		moved += n
		b.advance(n)
	}
	return moved, 0
}

//go:noinline
func sendTwo(fd int, b *Batch) (int, syscall.Errno) { return sys.SendTwo(fd, b.A, b.B) }

func trySocket(c *below, b *Batch, fd int, last bool) (n int, err error) {
	if fd == NoDescriptor {
		return writerOf(c).tryNow(b)
	}
	n, errno := sendSome(fd, b, last)
	if errno != 0 {
		return n, errno
	}
	return n, nil
}

func (c *below) sendBelow(b *Batch) (n int, err error) {
	if c.kind == socket {
		return writerOf(c).send(b, false)
	}
	for !b.Empty() && err == nil {
		p := b.A
		if c.kind == brittle && len(p) > brittlePiece {
			p = p[:brittlePiece]
		}
		var k int
		k, err = c.write(p)
		b.advance(k)
		n += k
	}
	return n, err
}

// write writes p through the net.Conn.
func (c *below) write(p []byte) (n int, err error) {
	if c.kind == brittle {
		c.startWriting()
		defer c.wrote()
	}
	n, err = c.nc.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}
