package transport

import (
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
func writerOf(c *Conn) *writer {
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

// TrySend sends as much of b as the connection takes without waiting, and returns how many bytes it has sent, with TLS
// counted after encryption. On a connection that is not a socket it sends nothing. fd is the descriptor if the caller
// is inside the latch. With last, the end of the stream follows at once, and over TLS the closing alert is sent, too.
func (c *Conn) TrySend(b *Batch, fd int, last bool) (n int, err error) {
	if c.kind != socket {
		return 0, nil
	}
	if c.tls != nil {
		return c.tls.send(b, fd, last, false)
	}
	if fd == NoDescriptor {
		return writerOf(c).tryNow(b)
	}
	return trySocket(c, b, fd, last)
}

func trySocket(c *Conn, b *Batch, fd int, last bool) (n int, err error) {
	if fd == NoDescriptor {
		return writerOf(c).tryNow(b)
	}
	n, errno := sendSome(fd, b, last)
	if errno != 0 {
		return n, errno
	}
	return n, nil
}

// Send sends b and waits until it is taken. A deadline interrupts it with a timeout; the next Send then sends the rest
// of b, and the data that Unsent reports.
func (c *Conn) Send(b *Batch, last bool) (n int, err error) {
	if c.tls != nil {
		return c.tls.send(b, NoDescriptor, last, true)
	}
	return c.sendBelow(b)
}

func (c *Conn) sendBelow(b *Batch) (n int, err error) {
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
func (c *Conn) write(p []byte) (n int, err error) {
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

// startWriting notes that a write of a brittle connection begins, which a wake may interrupt.
func (c *Conn) startWriting() {
	c.mu.Lock()
	c.writing = true
	c.mu.Unlock()
}

// wrote notes that the write of a brittle connection has ended. A wake that came too late is undone: it would cut the
// next write, and so end the connection.
func (c *Conn) wrote() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = false
	if c.woken&writes != 0 && !c.detached {
		c.nc.SetWriteDeadline(never)
	}
}

// Unsent reports whether data that was passed to TrySend or Send, or output of TLS itself, still has to be sent.
func (c *Conn) Unsent() bool { return c.tls != nil && c.tls.unsent() }

// Brittle reports whether the connection cannot write again after a deadline has cut a write.
func (c *Conn) Brittle() bool { return c.kind == brittle }

// SendsFiles reports whether SendFile works: there is a socket below, and no TLS.
func (c *Conn) SendsFiles() bool {
	if c.tls != nil || !sys.Available {
		return false
	}
	switch c.nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		return true
	}
	return false
}

// SendFile makes the system send up to most bytes of the open file, from the offset at or, if that is negative, from the
// current position, which then moves. It waits until the socket takes some. 0 without an error means the end of the file.
func (c *Conn) SendFile(file int, at int64, most int) (n int, err error) {
	raw, errno := syscall.RawConn(nil), syscall.Errno(0)
	if c.kind == socket {
		raw = writerOf(c).raw
	} else {
		raw = c.Raw()
	}
	err = raw.Write(func(fd uintptr) bool {
		n, errno = sys.SendFile(int(fd), file, at, most)
		return errno != syscall.EAGAIN
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return n, err
}

// Trim releases what an idle connection does not need. There must be no reader and no sender.
func (c *Conn) Trim() {
	c.w = nil
	if c.tls != nil {
		c.tls.trim()
	}
}
