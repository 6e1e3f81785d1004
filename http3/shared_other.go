//go:build !linux

package http3

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
)

// sharedPort is not possible here: other systems give all packets of a port to one of its sockets, or have other rules.
type sharedPort struct {
	conn     net.PacketConn
	identity *quicIdentity
	tickets  *sharedTickets
}

// errNoSharedPort is the error where a port cannot be shared.
var errNoSharedPort = fmt.Errorf("http3: SharedPort: sockets of several processes share the packets of a port only on Linux: %w", errors.ErrUnsupported)

func openSharedPort(*SharedPort, net.PacketConn, *atomic.Int64) (*sharedPort, error) {
	return nil, errNoSharedPort
}

func (p *sharedPort) packetConn() net.PacketConn { return p.conn }
func (p *sharedPort) drain()                     {}
func (p *sharedPort) close()                     {}

func listenShared(string) (net.PacketConn, error) { return nil, errNoSharedPort }
