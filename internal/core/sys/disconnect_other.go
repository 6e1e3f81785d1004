//go:build linux && (386 || s390x)

package sys

import "syscall"

// Disconnect ends the connection of the socket fd. On these systems, where all socket calls share one number, the peer
// sees an orderly end, and the reset only when fd is closed.
func Disconnect(fd int) syscall.Errno { return Shutdown(fd, ShutBoth) }
