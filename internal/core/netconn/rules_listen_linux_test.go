package netconn_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A connection accepted from Listen sends the same keep-alive probes as one from net.Listen.
func TestKeepAliveIsInherited(t *testing.T) {
	theirs, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := netconn.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	want, got := probes(t, theirs), probes(t, ours)
	if got != want {
		t.Errorf("on, idle, interval, count = %v, want %v", got, want)
	}
	if want[0] != 1 {
		t.Error("net.Listen's connections send no probes: nothing was compared")
	}
}

// probes returns the keep-alive options of a connection accepted from l, which it closes.
func probes(t *testing.T, l net.Listener) (values [4]int) {
	t.Helper()
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	raw, err := nc.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		for i, o := range [...][2]int{
			{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE},
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE},
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL},
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT},
		} {
			if values[i], err = syscall.GetsockoptInt(int(fd), o[0], o[1]); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// Listen returns an error for an address that cannot be listened on and for a port that is taken.
func TestListenFails(t *testing.T) {
	l, err := netconn.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, addr := range []string{l.Addr().String(), "127.0.0.1:port"} {
		if second, err := netconn.Listen(addr); err == nil {
			second.Close()
			t.Errorf("listening on %s succeeds", addr)
		}
	}
}
