package udp

import (
	"errors"
	"net"
	"os"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// refusable is a client's socket that learns of ports at which nobody listens (ICMP). The kernel does not report them to sockets without
// a peer unless they ask for it (IP_RECVERR, ip(7)). Only a dial is given up because of such a message: anyone who guesses the client's
// port can send one, and after the handshake QUIC itself knows whether the peer is there.
type refusable struct {
	*net.UDPConn
	batch *ipv4.PacketConn
}

// WithRefusals returns the socket as one that reports refusals.
func WithRefusals(pc net.PacketConn) net.PacketConn {
	udp, ok := pc.(*net.UDPConn)
	if !ok || !setRefusals(udp, 1) {
		return pc
	}
	return &refusable{udp, ipv4.NewPacketConn(udp)}
}

// WithoutRefusals ends the reports.
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

// ReadBatch implements the interface by which QUIC reads several packets at once. It reports refusals, and ignores other ICMP
// messages, such as that a packet was too large, or that there is no route at this moment.
func (c *refusable) ReadBatch(ms []ipv4.Message, flags int) (int, error) {
	for {
		n, err := c.batch.ReadBatch(ms, flags)
		if e, ok := errors.AsType[*os.SyscallError](err); !ok || !isICMP(e.Err) {
			return n, err
		}
	}
}

// WriteMsgUDP sends a datagram. ICMP messages about earlier ones do not prevent that.
func (c *refusable) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	n, oobn, err = c.UDPConn.WriteMsgUDP(b, oob, to)
	if e, ok := errors.AsType[*os.SyscallError](err); ok && isICMP(e.Err) {
		n, oobn, err = c.UDPConn.WriteMsgUDP(b, oob, to)
	}
	return n, oobn, err
}

// isICMP reports whether err may come from an ICMP message other than a refusal.
func isICMP(err error) bool {
	return IsAny(err, unix.EMSGSIZE, unix.EHOSTUNREACH, unix.ENETUNREACH, unix.EHOSTDOWN, unix.ENONET, unix.EPROTO, unix.EACCES, unix.ENOPROTOOPT, unix.EOPNOTSUPP)
}
