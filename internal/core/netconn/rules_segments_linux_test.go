//go:build !386

package netconn_test

import (
	"encoding/binary"
	"net"
	"syscall"
	"testing"
	"unsafe"
)

// segmentsIn returns how many segments with data the kernel has received on a TCP connection.
func segmentsIn(t *testing.T, nc net.Conn) int {
	t.Helper()
	var info [232]byte // struct tcp_info; tcpi_data_segs_in stands at 152
	size := uint32(len(info))
	onSocket(t, nc, func(fd int) error {
		_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
	if size < 156 {
		t.Skip("the kernel does not count segments")
	}
	return int(binary.NativeEndian.Uint32(info[152:]))
}
