package nethttp

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
)

func init() { facelink.OfferCarry((*Server).carry) }

// carry makes c carry requests to s: facelink.Carry.
func (s *Server) carry(c carrier.Carrier) (carrier.Host, error) {
	native := s.nativeServer()
	s.warnOfLateChanges()
	if err := s.checkProtocols(); err != nil {
		return nil, err
	}
	h, err := facelink.Carry(native, c)
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
