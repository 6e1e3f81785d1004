//go:build !linux

package sharedport

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
)

// Port does not exist here: other systems pass all packets of a port to one of its sockets, or have other rules.
type Port struct {
	Identity *Identity
	Tickets  *Tickets
}

// errNone says that a port cannot be shared on this system.
var errNone = fmt.Errorf("http3: SharedPort: several processes can share a port only on Linux: %w", errors.ErrUnsupported)

// Open returns an error.
func Open(Config, net.PacketConn, *atomic.Int64) (*Port, error) { return nil, errNone }

// PacketConn is never called.
func (p *Port) PacketConn() net.PacketConn { return nil }

// Drain is never called.
func (p *Port) Drain() {}

// Close is never called.
func (p *Port) Close() {}

// Listen returns an error.
func Listen(string) (net.PacketConn, error) { return nil, errNone }
