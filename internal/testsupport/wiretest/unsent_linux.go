package wiretest

import (
	"net"
	"syscall"
	"testing"
)

// UnsentLimit returns how much output the system holds for a TCP connection before it has sent it (TCP_NOTSENT_LOWAT), 0 if
// there is no limit.
func UnsentLimit(t testing.TB, nc *net.TCPConn) (limit int) {
	t.Helper()
	const tcpNotSentLowat = 25
	raw, err := nc.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if cerr := raw.Control(func(fd uintptr) {
		limit, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat)
	}); cerr != nil || err != nil {
		t.Fatal(cerr, err)
	}
	return max(limit, 0)
}
