package udp

import (
	"log/slog"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// wantedBuffer is the least receive buffer that holds the packets that arrive while a server is busy, in bytes as the kernel counts
// them. quic-go has asked for as much.
const wantedBuffer = 7 << 20

// NoteBuffer logs a warning if a socket's receive buffer is small.
func NoteBuffer(pc net.PacketConn, log *slog.Logger) {
	if size := receiveBuffer(pc); size > 0 && size < wantedBuffer {
		log.Warn("http3: the socket's receive buffer is small: packets are lost when many come at once", "bytes", size, "wanted", wantedBuffer,
			"remedy", "sysctl -w net.core.rmem_max=7340032")
	}
}

// receiveBuffer returns the size of a socket's receive buffer, or 0 if it cannot be known.
func receiveBuffer(pc net.PacketConn) (size int) {
	udp, ok := pc.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := udp.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) { size, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) })
	if err != nil {
		return 0
	}
	return size
}
