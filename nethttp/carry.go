package nethttp

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Carry makes c carry requests to s, until s is closed. It is for the modules of this project that bring other transports, such
// as HTTP/3; see server.Server.Carry.
func (s *Server) Carry(c carrier.Carrier) (carrier.Host, error) {
	native := s.nativeServer()
	s.warnOfLateChanges()
	if err := s.checkProtocols(); err != nil {
		return nil, err
	}
	h, err := native.Carry(c)
	if err != nil {
		return nil, err
	}
	return &carrierHost{h, s}, nil
}

// carrierHost is a carrier.Host whose connections have the contexts of a Server.
type carrierHost struct {
	carrier.Host
	s *Server
}

// Listening implements carrier.Host.
func (h *carrierHost) Listening(l net.Listener) net.Listener { return h.s.withBase(l) }
