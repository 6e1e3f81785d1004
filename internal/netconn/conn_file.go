package netconn

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

const (
	copyRoom = 64 << 10 // of a copy through memory
	fileStep = 1 << 20  // most bytes of a file handed to the kernel at a time
)

// errNoSendFile means that the file's system cannot be sent from without taking it through memory.
var errNoSendFile = errors.New("netconn: no sendfile for this file")

// ReadFrom sends what src gives until it ends, behind what is pending. A regular file, or an io.LimitedReader on one,
// goes to a socket without TLS by sendfile on Linux; everything else through a leased buffer. Any goroutine may call
// it.
func (c *Conn) ReadFrom(src io.Reader) (int64, error) {
	if c.socket && c.shim == nil {
		if file, left := regularFile(src); file != nil {
			if n, err := c.sendFile(src, file, left); err != errNoSendFile {
				return n, err
			}
		}
	}
	buf := bufpool.Get(copyRoom)
	defer bufpool.Put(buf)
	total := int64(0)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, werr := c.Write(buf[:n]); werr != nil {
				return total, werr
			}
			total += int64(n)
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// regularFile returns the file that src reads from, and how much of it.
func regularFile(src io.Reader) (*os.File, int64) {
	left := int64(1<<63 - 1)
	if l, ok := src.(*io.LimitedReader); ok {
		src, left = l.R, l.N
	}
	file, ok := src.(*os.File)
	if !ok {
		return nil, 0
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	return file, left
}

// sendFile makes the caller the flusher and has the kernel send up to left bytes of file.
func (c *Conn) sendFile(src io.Reader, file *os.File, left int64) (total int64, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	c.lock()
	defer c.unlock()
	if err := c.drain(); err != nil {
		return 0, err
	}
	c.sending = true
	c.mu.Unlock()
	cerr := raw.Control(func(fd uintptr) { total, err = c.sendDescriptor(int(fd), left) })
	c.mu.Lock()
	c.sending = false
	if l, ok := src.(*io.LimitedReader); ok {
		l.N -= total
	}
	if err == nil {
		err = cerr
	}
	switch {
	case c.err != nil: // Abort
	case total == 0 && (err == syscall.EINVAL || err == syscall.ENOSYS):
		err = errNoSendFile
	case err != nil:
		c.err = err // what was promised is not whole: nothing may follow it
		go c.kick()
	}
	if c.err == nil && len(c.out) > 0 && !c.corked {
		c.flushLocked(nil, false) // what others appended meanwhile
	}
	c.wakeWriters()
	return total, err
}

// sendDescriptor has the kernel send up to left bytes from the file descriptor given.
func (c *Conn) sendDescriptor(file int, left int64) (total int64, err error) {
	raw := c.waiter().raw
	for left > 0 {
		n := 0
		err = c.waitSocket(func() (int, error) {
			var errno syscall.Errno
			err := raw.Write(func(fd uintptr) bool {
				n, errno = sys.SendFile(int(fd), file, int(min(left, fileStep)))
				return errno != syscall.EAGAIN
			})
			if err == nil && errno != 0 {
				err = errno
			}
			return n, err
		})
		c.eng.stats.out(n)
		total += int64(n)
		left -= int64(n)
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}
