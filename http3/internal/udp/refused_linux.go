package udp

import (
	"errors"
	"net"
	"os"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// refusable is a client's socket that is told of ports at which nobody listens (ICMP), which the kernel keeps from sockets without a
// peer unless they ask for it (IP_RECVERR, ip(7)). Only a dial is given up for that: anybody who guesses the client's port can send such
// messages, and behind the handshake QUIC knows better.
type refusable struct {
	*net.UDPConn
	batch *ipv4.PacketConn
}

// WithRefusals returns a socket as one that is told.
func WithRefusals(pc net.PacketConn) net.PacketConn {
	udp, ok := pc.(*net.UDPConn)
	if !ok || !setRefusals(udp, 1) {
		return pc
	}
	return &refusable{udp, ipv4.NewPacketConn(udp)}
}

// WithoutRefusals ends that.
func WithoutRefusals(pc net.PacketConn) {
	if udp, ok := pc.(*net.UDPConn); ok {
		setRefusals(udp, 0)
	}
}

func setRefusals(pc *net.UDPConn, on int) (set bool) {
	raw, err := pc.SyscallConn()
	if err != nil {
		return false
	}
	raw.Control(func(fd uintptr) {
		err4 := unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_RECVERR, on)
		err6 := unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_RECVERR, on)
		set = err4 == nil || err6 == nil
	})
	return set
}

// ReadBatch implements the interface by which QUIC reads several packets at once. It reports refusals, and passes over what else ICMP
// tells: that a packet was too large, or that there is no way at this moment.
func (c *refusable) ReadBatch(ms []ipv4.Message, flags int) (int, error) {
	for {
		n, err := c.batch.ReadBatch(ms, flags)
		if e, ok := errors.AsType[*os.SyscallError](err); !ok || !isICMP(e.Err) {
			return n, err
		}
	}
}

// WriteMsgUDP sends a datagram. What ICMP has told of earlier ones does not keep it from being sent.
func (c *refusable) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	n, oobn, err = c.UDPConn.WriteMsgUDP(b, oob, to)
	if e, ok := errors.AsType[*os.SyscallError](err); ok && isICMP(e.Err) {
		n, oobn, err = c.UDPConn.WriteMsgUDP(b, oob, to)
	}
	return n, oobn, err
}

// isICMP reports whether err may be what a message of ICMP's leaves at a socket, other than a refusal.
func isICMP(err error) bool {
	return IsAny(err, unix.EMSGSIZE, unix.EHOSTUNREACH, unix.ENETUNREACH, unix.EHOSTDOWN, unix.ENONET, unix.EPROTO, unix.EACCES, unix.ENOPROTOOPT, unix.EOPNOTSUPP)
}
