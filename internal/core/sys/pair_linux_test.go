package sys

import (
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// unixPair returns the two descriptors of a stream socketpair, blocking as user code might leave them.
func unixPair(t testing.TB) (a, b int) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Close(fds[0])
		_ = syscall.Close(fds[1])
	})
	return fds[0], fds[1]
}

// tcpPair returns the two ends of a TCP connection and the descriptor of the first, valid until the test ends.
func tcpPair(t testing.TB) (fd int, near, far *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dialled, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	near, far = accepted.(*net.TCPConn), dialled.(*net.TCPConn)
	t.Cleanup(func() {
		_ = near.Close()
		_ = far.Close()
		runtime.KeepAlive(near)
	})
	raw, err := near.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(d uintptr) { fd = int(d) }); err != nil {
		t.Fatal(err)
	}
	return fd, near, far
}

// until calls f again until it returns true, for at most five seconds.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatalf("waited for %s in vain", what)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// recvAll receives until it has size bytes.
func recvAll(t testing.TB, fd, size int) []byte {
	t.Helper()
	all := make([]byte, 0, size)
	until(t, "data", func() bool {
		n, err := Recv(fd, all[len(all):size])
		if err != 0 && err != syscall.EAGAIN {
			t.Fatal(err)
		}
		all = all[:len(all)+n]
		return len(all) == size
	})
	return all
}

func isErrno(err error, want syscall.Errno) bool { return errors.Is(err, want) }
