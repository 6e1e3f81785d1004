//go:build !linux

package udp

import "net"

// WithRefusals does nothing here: a dial to a port at which nobody listens takes as long as one to a silent server.
func WithRefusals(pc net.PacketConn) net.PacketConn { return pc }

// WithoutRefusals does nothing here.
func WithoutRefusals(net.PacketConn) {}
