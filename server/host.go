package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
)

func init() {
	facelink.OfferCarry((*Server).carry)
	facelink.LikeNetHTTP = func(cfg any) { cfg.(*Config).likeNetHTTP = true }
}

// carry makes c carry exchanges of s: facelink.Carry.
func (s *Server) carry(c carrier.Carrier) (carrier.Host, error) {
	if s.shared.cfg.Handler == nil {
		return nil, errNoHandler
	}
	if !s.carriers.Add(c) {
		return nil, ErrServerClosed
	}
	return &host{s, &carrier.Settings{
		MaxHeadBytes: s.shared.cfg.MaxHeadBytes, MaxHeadFields: s.shared.cfg.MaxHeadFields,
		MaxConns: s.shared.cfg.MaxConns, MaxRequests: s.shared.cfg.MaxKeepAliveRequests,
		MinReadRate: s.shared.cfg.MinReadRate, MinWriteRate: s.shared.cfg.MinWriteRate, RateGrace: s.shared.cfg.RateGrace,
		HeadTimeout: s.shared.cfg.ReadHeaderTimeout, IdleTimeout: s.shared.cfg.IdleTimeout, HandshakeTimeout: s.shared.cfg.TLSHandshakeTimeout,
		DisableKeepAlive: s.shared.cfg.DisableKeepAlive, ExtendedConnect: !s.shared.cfg.HTTP2.DisableExtendedConnect,
		Log: s.shared.log,
	}}, nil
}

// host is a Server as a carrier.Host.
type host struct {
	s        *Server
	settings *carrier.Settings
}

// TLS implements carrier.Host.
func (h *host) TLS(certFile, keyFile string) (*tls.Config, error) {
	return h.s.shared.tlsConfig(certFile, keyFile)
}

// Settings implements carrier.Host.
func (h *host) Settings() *carrier.Settings { return h.settings }

// Listening implements carrier.Host.
func (h *host) Listening(l net.Listener) net.Listener { return l }

// Advertise implements carrier.Host.
func (h *host) Advertise(altSvc string) {
	if altSvc == "" {
		h.s.shared.altSvc.Store(nil)
	} else {
		h.s.shared.altSvc.Store(&altSvc)
	}
}

// Connected implements carrier.Host.
func (h *host) Connected(l net.Listener, nc net.Conn) any {
	if f := h.s.shared.cfg.OnConn; f != nil {
		return f(l, nc)
	}
	return nil
}

// NewExchange implements carrier.Host.
func (h *host) NewExchange(on carrier.Stream, major uint8) carrier.Exchange {
	m := &carried{count: h.s.shared.requests.shard()}
	m.init(h.s.shared, on, major)
	return m
}

// Join implements carrier.Host.
func (h *host) Join() { h.s.workers.AddConn() }

// Leave implements carrier.Host.
func (h *host) Leave() { h.s.workers.RemoveConn() }

// Wake implements carrier.Host.
func (h *host) Wake(j carrier.Job) { h.s.workers.Wake(j) }

// Away implements carrier.Host.
func (h *host) Away() { h.s.workers.Leave() }

// Back implements carrier.Host.
func (h *host) Back() { h.s.workers.Rejoin() }

// Now implements carrier.Host.
func (h *host) Now() int64 { return h.s.engine.Moment() }

// Refused implements carrier.Host.
func (h *host) Refused() { h.s.shared.refused.Add(1) }
