package streamsock

import (
	"net"
	"net/netip"
)

// nearWindow bounds the bytes in flight on a connection within the same host, in each direction, so that the receiver reads
// them while they are still in the processor's cache. Over a network the system finds the window that the round-trip time
// needs, which may be many times as large.
const nearWindow = 128 << 10

// boundBuffers sets the socket buffers of a connection within the same host to nearWindow and returns that, or 0 for other
// connections.
func boundBuffers(nc net.Conn) int {
	for {
		b, ok := nc.(interface {
			SetReadBuffer(bytes int) error
			SetWriteBuffer(bytes int) error
		})
		switch {
		case ok && sameHost(nc):
			if b.SetReadBuffer(nearWindow) != nil || b.SetWriteBuffer(nearWindow) != nil {
				return 0
			}
			return nearWindow
		case ok:
			return 0
		}
		below, ok := nc.(interface{ NetConn() net.Conn })
		if !ok {
			return 0
		}
		nc = below.NetConn()
	}
}

// sameHost reports whether the peer is on the same host.
func sameHost(nc net.Conn) bool {
	if nc.RemoteAddr().Network() == "unix" {
		return true
	}
	remote, err := netip.ParseAddrPort(nc.RemoteAddr().String())
	if err != nil {
		return false
	}
	local, err := netip.ParseAddrPort(nc.LocalAddr().String())
	return remote.Addr().Unmap().IsLoopback() || err == nil && remote.Addr() == local.Addr()
}
