package sys

import (
	"syscall"
	"time"
)

// InheritKeepAlive has the connections that the listening TCP socket fd will accept send keep-alive probes: after idle
// and then each interval, both in whole seconds, and count of them without an answer end the connection. It returns
// false where the system does not do that.
func InheritKeepAlive(fd int, idle, interval time.Duration, count int) bool {
	for _, o := range [...][2]int{
		{syscall.TCP_KEEPIDLE, int(idle / time.Second)},
		{syscall.TCP_KEEPINTVL, int(interval / time.Second)},
		{syscall.TCP_KEEPCNT, count},
	} {
		if syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, o[0], o[1]) != nil {
			return false
		}
	}
	return syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1) == nil
}
