//go:build !linux

package udp

import (
	"log/slog"
	"net"
)

// NoteBuffer does nothing here: quic-go logs what it could not set.
func NoteBuffer(net.PacketConn, *slog.Logger) {}
