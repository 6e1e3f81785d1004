package sharedport

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// inbox is the socket at which a process receives packets of its connections that have arrived at other processes.
type inbox struct {
	lock *os.File // is locked while the process has its number
	l    *net.UnixListener
	put  func(p *passed)
	ours func(packet []byte) bool

	mu     sync.Mutex
	conns  map[*net.UnixConn]struct{}
	closed bool
	all    sync.WaitGroup
}

// openInbox opens the socket at a path. It fails if a running process has it.
func openInbox(path, lockPath string, ours func(packet []byte) bool, put func(p *passed)) (*inbox, error) {
	lock, err := os.OpenFile(lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if err == unix.EWOULDBLOCK {
			return nil, fmt.Errorf("number in use by another process, which holds %s", lockPath)
		}
		return nil, fmt.Errorf("lock %s: %w", lockPath, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a process that was killed
		lock.Close()
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		lock.Close()
		return nil, err
	}
	in := &inbox{lock: lock, l: l, put: put, ours: ours, conns: map[*net.UnixConn]struct{}{}}
	if err := os.Chmod(path, 0o600); err != nil {
		in.close()
		return nil, err
	}
	in.all.Go(in.accept)
	return in, nil
}

// acceptPause is how long accept waits after an error.
const acceptPause = 10 * time.Millisecond

// accept takes connections of other processes.
func (in *inbox) accept() {
	for {
		c, err := in.l.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(acceptPause) // there are no descriptors, or the one that has connected is gone again
			continue
		}
		in.mu.Lock()
		if in.closed {
			c.Close()
		} else {
			in.conns[c] = struct{}{}
			in.all.Go(func() { in.read(c) })
		}
		in.mu.Unlock()
	}
}

// read reads packets that another process passes on. Packets that are not ours are dropped here: they are never passed on a
// second time.
func (in *inbox) read(c *net.UnixConn) {
	defer func() {
		c.Close()
		in.mu.Lock()
		delete(in.conns, c)
		in.mu.Unlock()
	}()
	var p passed
	for b := make([]byte, maxPassed+1); ; {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		if p.parse(b[:n]) == nil && validControl(p.control) && in.ours(p.packet) {
			in.put(&p)
		}
	}
}

// close closes the socket, removes its name, and waits until no goroutine puts packets into the queue.
func (in *inbox) close() {
	in.mu.Lock()
	in.closed = true
	for c := range in.conns {
		c.Close()
	}
	in.mu.Unlock()
	in.l.Close() // removes the name
	in.all.Wait()
	in.lock.Close()
}

// validControl reports whether control messages are valid: quic-go gives its socket up when they are not.
func validControl(b []byte) bool {
	for len(b) > 0 {
		if len(b) < unix.CmsgLen(0) {
			return false
		}
		head, data, rest, err := unix.ParseOneSocketControlMessage(b)
		if err != nil || len(data) != controlSize[[2]int32{head.Level, head.Type}] || len(data) == 0 {
			return false
		}
		b = rest
	}
	return true
}

// controlSize has the kinds of control messages, and their lengths in bytes.
var controlSize = map[[2]int32]int{
	{unix.IPPROTO_IP, unix.IP_TOS}:         1,
	{unix.IPPROTO_IP, unix.IP_PKTINFO}:     unix.SizeofInet4Pktinfo,
	{unix.IPPROTO_IPV6, unix.IPV6_TCLASS}:  4,
	{unix.IPPROTO_IPV6, unix.IPV6_PKTINFO}: unix.SizeofInet6Pktinfo,
}
