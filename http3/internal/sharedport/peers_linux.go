package sharedport

import (
	"hash/fnv"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/shockwave-go/shockwave/http3/internal/udp"
)

// peers passes packets on to other processes, each of which has a socket (unix(7), SOCK_SEQPACKET: that of SOCK_DGRAM holds ten
// packets by default). Nothing waits: a packet for which there is no room is dropped, as in a socket's buffer. One goroutine at a time
// calls its methods.
type peers struct {
	path func(process uint16) string
	now  func() time.Time
	sent *atomic.Int64    // packets
	all  map[uint16]*peer // as many as identifiers were given by
	buf  []byte

	there  []uint16 // the processes, when they were listed last
	listed time.Time
}

// peer is another process.
type peer struct {
	conn   *net.UnixConn // nil: none
	raw    syscall.RawConn
	absent time.Time // when it was last found not to be there
}

// absentFor is the time before a process that was absent is looked for again, so that a packet of its connections costs little. It is
// so short that a process that has started meanwhile has no connections that could have moved.
const absentFor = 10 * time.Millisecond

// passBuffer is how many bytes may be under way to a process, including the kernel's overhead.
const passBuffer = 2 << 20

func newPeers(path func(process uint16) string, sent *atomic.Int64) *peers {
	return &peers{path: path, now: time.Now, sent: sent, all: map[uint16]*peer{}}
}

// send passes a packet on. It returns false if the process is absent. It does not keep p.
func (s *peers) send(process uint16, p *passed) bool {
	b, ok := p.append(s.buf[:0])
	s.buf = b
	if !ok {
		return true // it is no packet of QUIC's, or comes from nowhere
	}
	to := s.all[process]
	if to == nil {
		to = new(peer)
		s.all[process] = to
	}
	for range 2 { // the second time to one that has started anew
		if to.conn == nil {
			if there, connected := s.connect(process, to); !connected {
				return there
			}
		}
		switch to.write(b) {
		case nil:
			s.sent.Add(1)
			return true
		case unix.EAGAIN, unix.ENOBUFS, unix.EMSGSIZE:
			return true
		}
		to.conn.Close()
		to.conn = nil
	}
	return true
}

// sendNew passes the first packet of a connection on to any process but one; an identifier always leads to the same one as long as no
// process starts or ends. It returns false if there is no other process.
func (s *peers) sendNew(but uint16, id []byte, p *passed) bool {
	if now := s.now(); now.Sub(s.listed) >= listFor {
		s.listed, s.there = now, s.list()
	}
	h := fnv.New32a()
	h.Write(id)
	for i := range s.there {
		process := s.there[(int(h.Sum32()%uint32(len(s.there)))+i)%len(s.there)]
		if process != but && s.send(process, p) {
			return true
		}
	}
	return false
}

// listFor is how long the list of processes is used.
const listFor = 100 * time.Millisecond

// list returns the processes that have a socket file, even one that a dead process has left behind.
func (s *peers) list() (all []uint16) {
	prefix, _ := strings.CutSuffix(filepath.Base(s.path(0)), "0"+socketSuffix)
	files, _ := os.ReadDir(filepath.Dir(s.path(0)))
	for _, f := range files {
		number, fits := strings.CutPrefix(f.Name(), prefix)
		number, is := strings.CutSuffix(number, socketSuffix)
		if n, err := strconv.ParseUint(number, 10, 16); err == nil && fits && is {
			all = append(all, uint16(n))
		}
	}
	return all
}

// connect connects to a process. there is false if no process has that number.
func (s *peers) connect(process uint16, to *peer) (there, connected bool) {
	if now := s.now(); now.Sub(to.absent) < absentFor {
		return false, false
	}
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: s.path(process), Net: "unixpacket"})
	if err != nil {
		if udp.IsAny(err, unix.ENOENT, unix.ECONNREFUSED) {
			to.absent = s.now()
			return false, false
		}
		return true, false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		c.Close()
		return true, false
	}
	c.SetWriteBuffer(passBuffer)
	to.conn, to.raw = c, raw
	return true, true
}

// write sends a datagram, or returns unix.EAGAIN if it would have to wait.
func (p *peer) write(b []byte) (err error) {
	if broken := p.raw.Write(func(fd uintptr) bool {
		err = unix.Send(int(fd), b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		return true
	}); broken != nil {
		return broken
	}
	return err
}

// close closes the sockets.
func (s *peers) close() {
	for _, p := range s.all {
		if p.conn != nil {
			p.conn.Close()
		}
	}
	clear(s.all)
}
