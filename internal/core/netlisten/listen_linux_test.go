package netlisten_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netlisten"
)

// TestKeepAlive: accepted connections are probed as package net's are.
func TestKeepAlive(t *testing.T) {
	own, err := netlisten.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	got, want := probes(t, own), probes(t, other)
	if got != want || got[0] == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

// probes returns the settings of a connection that l has accepted: whether there are probes, after which time, how often, how many.
func probes(t *testing.T, l net.Listener) (set [4]int) {
	t.Helper()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	raw, err := near.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		for i, o := range [4][2]int{
			{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}, {syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE},
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}, {syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT},
		} {
			if set[i], err = syscall.GetsockoptInt(int(fd), o[0], o[1]); err != nil {
				t.Error(err)
			}
		}
	})
	return set
}
