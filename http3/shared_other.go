//go:build !linux

package http3

import (
	"net"
	"sync/atomic"
)

// sharedPort is not possible here: other systems give all packets of a port to one of its sockets, or have other rules.
type sharedPort struct {
	conn     net.PacketConn
	identity *quicIdentity
	tickets  *sharedTickets
}

func openSharedPort(*SharedPort, net.PacketConn, *atomic.Int64) (*sharedPort, error) {
	return nil, errNoSharedPort
}

func (p *sharedPort) packetConn() net.PacketConn { return p.conn }
func (p *sharedPort) close()                     {}

func listenShared(string) (net.PacketConn, error) { return nil, errNoSharedPort }
