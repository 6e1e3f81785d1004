//go:build !linux

package udp

import (
	"log/slog"
	"net"
)

// NoteBuffer does nothing here: quic-go logs that it could not set the buffer.
func NoteBuffer(net.PacketConn, *slog.Logger) {}
