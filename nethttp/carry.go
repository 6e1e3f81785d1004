package nethttp

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/inside"
)

func init() { inside.OfferCarry((*Server).carry) }

// carry makes c carry requests to s: inside.Carry.
func (s *Server) carry(c carrier.Carrier) (carrier.Host, error) {
	native := s.nativeServer()
	s.warnOfLateChanges()
	if err := s.checkProtocols(); err != nil {
		return nil, err
	}
	h, err := inside.Carry(native, c)
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
