package sharedport

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
)

// passed is a packet that is passed on from one process to another. Between them it is one datagram:
//
//	version (1 byte, 1)   client's address (16 bytes, IPv4 as IPv4-mapped)   port (2 bytes, big endian)
//	length of the zone (1 byte)   length of the control messages (1 byte)   zone   control messages   packet
//
// The control messages are the kernel's, as recvmsg(2) has returned them: at which address the packet has come, and its ECN bits.
type passed struct {
	from    *net.UDPAddr
	control []byte
	packet  []byte
}

const (
	passedVersion = 1
	passedHead    = 1 + 16 + 2 + 1 + 1

	maxControl = 128  // bytes of control messages
	maxPacket  = 1500 // bytes of a packet; QUIC's are shorter
	maxZone    = 32
	maxPassed  = passedHead + maxZone + maxControl + maxPacket
)

var errPassed = errors.New("malformed datagram between processes")

// append appends the datagram. It returns false if there is none for such a packet.
func (p *passed) append(dst []byte) ([]byte, bool) {
	ip, ok := netip.AddrFromSlice(p.from.IP)
	if !ok || len(p.from.Zone) > maxZone || len(p.control) > maxControl || len(p.packet) > maxPacket {
		return dst, false
	}
	addr := ip.As16()
	dst = append(append(dst, passedVersion), addr[:]...)
	dst = binary.BigEndian.AppendUint16(dst, uint16(p.from.Port))
	dst = append(dst, byte(len(p.from.Zone)), byte(len(p.control)))
	dst = append(append(dst, p.from.Zone...), p.control...)
	return append(dst, p.packet...), true
}

// parse sets p from a datagram. Its slices are parts of b.
func (p *passed) parse(b []byte) error {
	if len(b) < passedHead || b[0] != passedVersion {
		return errPassed
	}
	addr := netip.AddrFrom16([16]byte(b[1:])).Unmap()
	port := binary.BigEndian.Uint16(b[17:])
	zone, control := int(b[19]), int(b[20])
	if b = b[passedHead:]; zone > maxZone || control > maxControl || len(b) <= zone+control || len(b)-zone-control > maxPacket || port == 0 {
		return errPassed
	}
	p.from = &net.UDPAddr{IP: addr.AsSlice(), Port: int(port), Zone: string(b[:zone])}
	p.control, p.packet = b[zone:zone+control], b[zone+control:]
	return nil
}
