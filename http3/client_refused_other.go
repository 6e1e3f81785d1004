//go:build !linux

package http3

import "net"

// withRefusals and withoutRefusals do nothing here: a dial to a port at which nobody listens takes as long as one to a deaf server.
func withRefusals(pc net.PacketConn) net.PacketConn { return pc }
func withoutRefusals(net.PacketConn)                {}
