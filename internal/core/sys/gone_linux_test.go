package sys

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// Bytes do not mean that the peer has gone; the end of the peer's half and a reset do, whether or not bytes are still to
// be read.
func TestPeerGone(t *testing.T) {
	for name, leave := range map[string]func(far *net.TCPConn){
		"half": func(far *net.TCPConn) { _ = far.CloseWrite() },
		"reset": func(far *net.TCPConn) {
			_ = far.SetLinger(0)
			_ = far.Close()
		},
	} {
		for _, unread := range []string{"", "bytes"} {
			fd, _, far := tcpPair(t)
			if _, err := far.Write([]byte(unread)); err != nil {
				t.Fatal(err)
			}
			if gone, errno := PeerGone(fd); gone || errno != 0 {
				t.Errorf("%s, %q: gone %v before it has left, %v", name, unread, gone, errno)
			}
			leave(far)
			gone := false
			for end := time.Now().Add(time.Minute); !gone && time.Now().Before(end); {
				var errno syscall.Errno
				if gone, errno = PeerGone(fd); errno != 0 {
					t.Fatal(errno)
				}
			}
			if !gone {
				t.Errorf("%s, %q: not seen", name, unread)
			}
		}
	}
}

// PeerGone does not allocate, because it may be called for each request.
func TestPeerGoneDoesNotAllocate(t *testing.T) {
	fd, _, _ := tcpPair(t)
	if n := testing.AllocsPerRun(100, func() { PeerGone(fd) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
