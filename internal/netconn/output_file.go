package netconn

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

const (
	copyRoom = 64 << 10 // size of the buffer of a copy through memory
	fileStep = 1 << 20  // limit of the bytes handed to the kernel in one call
)

// errNoSendFile means that the file's file system does not support sendfile.
var errNoSendFile = errors.New("netconn: no sendfile for this file")

// ReadFrom sends what src returns until its end, after the pending output. On Linux, a regular file, or an
// io.LimitedReader on one, goes to a socket without TLS by sendfile; everything else is copied through a buffer from
// the pool.
func (o *Output) ReadFrom(src io.Reader) (int64, error) {
	if o.link.tr.Socket() && !o.link.tr.Secured() {
		if file, left := regularFile(src); file != nil {
			if n, err := o.sendFile(src, file, left); err != errNoSendFile {
				return n, err
			}
		}
	}
	return o.copyFrom(src)
}

// sendFile makes the kernel send up to left bytes of file.
func (o *Output) sendFile(src io.Reader, file *os.File, left int64) (total int64, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	for {
		f, err := o.out.Exclude()
		if err != nil {
			return 0, err
		}
		if f == nil {
			break
		}
		o.flush(f, flushWait)
	}
	cerr := raw.Control(func(fd uintptr) { total, err = o.sendDescriptor(int(fd), left) })
	if l, ok := src.(*io.LimitedReader); ok {
		l.N -= total
	}
	if err == nil {
		err = cerr
	}
	failure := err
	if total == 0 && (err == syscall.EINVAL || err == syscall.ENOSYS) {
		err, failure = errNoSendFile, nil
	}
	f, _ := o.landed(nil, failure) // after a failure the message is incomplete: nothing may follow it
	o.flush(f, flushTry)
	return total, err
}

// sendDescriptor makes the kernel send up to left bytes from the file descriptor file.
func (o *Output) sendDescriptor(file int, left int64) (total int64, err error) {
	for left > 0 {
		n := 0
		err = o.waitPeer(func() (int, error) {
			var err error
			n, err = o.link.tr.SendFile(file, int(min(left, fileStep)))
			return n, err
		})
		o.link.eng.stats.out(n)
		total += int64(n)
		left -= int64(n)
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

// copyFrom writes what src returns until its end.
func (o *Output) copyFrom(src io.Reader) (total int64, err error) {
	buf := bufpool.Get(copyRoom)
	defer bufpool.Put(buf)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, werr := o.Write(buf[:n]); werr != nil {
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

// regularFile returns the regular file that src reads from, and how many bytes of it; nil if there is none.
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
