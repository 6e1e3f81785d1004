package load

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/h1"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/h2"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/h3"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
)

// driver returns the driver of the protocol. Another protocol is another package with a drive.Driver, and a case here, in
// clientTLS and in the schemes.
func (cfg *Config) driver() (drive.Driver, error) {
	switch req := cfg.request(); {
	case CarriesMessages(cfg.URL):
		return message.New(message.Config{
			Spec: cfg.Message, WebSocket: IsWebSocket(cfg.URL), Request: req, Depth: cfg.Pipeline, Scheduled: cfg.Rate > 0,
			Transport: cfg.transport(),
		})
	case cfg.HTTP3:
		return h3.New(req, cfg.Pipeline, cfg.address(), cfg.clientTLS())
	case cfg.HTTP2:
		return h2.New(req, cfg.Pipeline, cfg.transport())
	default:
		return h1.New(req, cfg.Pipeline, cfg.transport())
	}
}

// request returns what is asked for.
func (cfg *Config) request() *request.Request {
	return &request.Request{URLs: cfg.urls(), Method: cfg.Method, Header: cfg.Header, Body: cfg.Body}
}
