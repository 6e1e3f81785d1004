//go:build !linux

package http3

import (
	"log/slog"
	"net"
)

// noteBuffer does nothing here: quic-go logs what it could not set.
func noteBuffer(net.PacketConn, *slog.Logger) {}
