//go:build !linux

package udp

import "net"

// WithRefusals and WithoutRefusals do nothing here: a dial to a port at which nobody listens takes as long as one to a deaf server.
func WithRefusals(pc net.PacketConn) net.PacketConn { return pc }
func WithoutRefusals(net.PacketConn)                {}
