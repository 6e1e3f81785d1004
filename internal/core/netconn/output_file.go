package netconn

import (
	"errors"
	"io"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/filerange"
)

const (
	fileStep = 1 << 20  // limit of the bytes handed to the kernel in one call
	fileFrom = 16 << 10 // for less, a copy that leaves with the pending output is cheaper than a system call of its own
)

// errNoSendFile means that the file's file system does not support sendfile.
var errNoSendFile = errors.New("netconn: no sendfile for this file")

// ReadFrom sends what src returns until its end, after the pending output. On Linux, the bytes of a regular file go to a
// socket without TLS by sendfile; everything else is copied through a buffer from the pool. See IsFile for what counts
// as a file.
func (o *Output) ReadFrom(src io.Reader) (int64, error) {
	if o.tr.SendsFiles() {
		if r, ok := filerange.Of(src); ok && r.Left >= fileFrom {
			if n, err := o.sendFile(src, r); err != errNoSendFile {
				return n, err
			}
		}
	}
	return bufpool.Copy(o, src)
}

// sendFile makes the kernel send r, which src stands for.
func (o *Output) sendFile(src io.Reader, r filerange.Range) (total int64, err error) {
	raw, err := r.File.SyscallConn()
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
	cerr := raw.Control(func(fd uintptr) { total, err = o.sendDescriptor(int(fd), r) })
	filerange.Skip(src, total)
	if err == nil {
		err = cerr
	}
	failure := err
	if total == 0 && (err == syscall.EINVAL || err == syscall.ENOSYS) {
		err, failure = errNoSendFile, nil
	}
	f, _ := o.finished(nil, failure) // after a failure the message is incomplete: nothing may follow it
	o.flush(f, flushTry)
	return total, err
}

// sendDescriptor makes the kernel send r, whose file has the descriptor file.
func (o *Output) sendDescriptor(file int, r filerange.Range) (total int64, err error) {
	for r.Left > 0 {
		n := 0
		err = o.waitPeer(func() (int, error) {
			var err error
			n, err = o.tr.SendFile(file, r.At, int(min(r.Left, fileStep)))
			return n, err
		})
		o.eng.stats.out(n)
		total += int64(n)
		r.Take(n)
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}
