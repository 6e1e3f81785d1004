package sys

import (
	"syscall"
	"time"
)

// InheritKeepAlive enables keep-alive probes on the connections that the listening TCP socket fd will accept: after
// idle and then each interval, both in whole seconds; count probes without an answer end the connection. It returns
// false if the system does not support that.
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
