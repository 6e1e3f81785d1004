package sys

import "golang.org/x/sys/unix"

// Delivered returns how many bytes the peer of the TCP socket fd has acknowledged since the connection began, and the
// size of a full segment to it. Both are 0 if the kernel does not report them (before Linux 4.1, and on other sockets).
func Delivered(fd int) (acked uint64, segment int) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, 0
	}
	return info.Bytes_acked, int(info.Snd_mss)
}
