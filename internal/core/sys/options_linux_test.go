package sys

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Accepted connections send probes as their listener was told; what is no TCP socket is refused.
func TestInheritKeepAlive(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 0)
		if !InheritKeepAlive(int(fd), 77*time.Second, 33*time.Second, 5) {
			t.Error("it is refused")
		}
	})
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = far.Close() }()
	var fd int
	_ = raw.Control(func(listener uintptr) {
		until(t, "a connection", func() bool {
			fd, _, err = syscall.Accept4(int(listener), syscall.SOCK_CLOEXEC)
			return err == nil
		})
	})
	defer func() { _ = syscall.Close(fd) }()
	for _, o := range []struct {
		name                string
		level, option, want int
	}{
		{"SO_KEEPALIVE", syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
		{"TCP_KEEPIDLE", syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 77},
		{"TCP_KEEPINTVL", syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, 33},
		{"TCP_KEEPCNT", syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 5},
	} {
		if got, err := syscall.GetsockoptInt(fd, o.level, o.option); got != o.want || err != nil {
			t.Errorf("%s is %d, want %d: %v", o.name, got, o.want, err)
		}
	}
	a, _ := unixPair(t)
	for _, fd := range []int{a, -1} {
		if InheritKeepAlive(fd, time.Minute, time.Minute, 1) {
			t.Errorf("descriptor %d sends probes", fd)
		}
	}
}

// Unsent counts what the peer has not acknowledged; on a unix socket, what the peer has not read.
func TestUnsent(t *testing.T) {
	fd, near, _ := tcpPair(t)
	if _, err := near.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	until(t, "acknowledgement", func() bool { return Unsent(fd) == 0 })
	a, b := unixPair(t)
	if n, err := Send(a, make([]byte, 1000), false); n != 1000 || err != 0 {
		t.Fatal(n, err)
	}
	if n := Unsent(a); n < 1000 {
		t.Errorf("%d bytes have not been read, want 1000 or, with what they take, more", n)
	}
	recvAll(t, b, 1000)
	if n := Unsent(a); n != 0 {
		t.Errorf("%d bytes have not been read, want none", n)
	}
	if n := Unsent(-1); n != -1 {
		t.Errorf("of no socket: %d, want -1", n)
	}
}

// SendFile sends a file from its position to its end, and returns an error for what cannot be sent.
func TestSendFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	content := bytes.Repeat([]byte("0123456789"), 100)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(10, 0); err != nil {
		t.Fatal(err)
	}
	a, b := unixPair(t)
	for _, want := range []int{500, 490, 0} {
		if n, err := SendFile(a, int(f.Fd()), -1, 500); n != want || err != 0 {
			t.Errorf("sent %d, %v, want %d", n, err, want)
		}
	}
	if got := recvAll(t, b, 990); !bytes.Equal(got, content[10:]) {
		t.Errorf("%d bytes came, or others than the file's", len(got))
	}
	if n, err := SendFile(-1, int(f.Fd()), -1, 500); n != 0 || err != syscall.EBADF {
		t.Errorf("to no socket: %d, %v", n, err)
	}
}
