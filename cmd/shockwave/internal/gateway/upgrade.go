package gateway

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// ServeHTTP implements server.Handler. It upgrades requests for the paths of Config.Routes and refuses others.
func (g *Gateway) ServeHTTP(w *server.ResponseWriter, r *server.Request) {
	req := requestOf(r)
	status := g.upgrade(w, r, req)
	if status == http.StatusSwitchingProtocols {
		return
	}
	if f := g.cfg.OnEnd; f != nil {
		f(Report{Request: req, Status: status})
	}
}

// upgrade upgrades the request and returns the status of the response.
func (g *Gateway) upgrade(w *server.ResponseWriter, r *server.Request, req Request) (status int) {
	refuse := func(status int, why string) int {
		_ = w.Error(status, why)
		return status
	}
	route := g.routes[string(r.Path())]
	switch {
	case route == nil:
		return refuse(http.StatusNotFound, "there is no service at this path")
	case r.Upgrade() && !g.offered(r):
		return refuse(http.StatusBadRequest, "none of the subprotocols is spoken here")
	}
	if why := g.reserve(); why != "" {
		return refuse(http.StatusServiceUnavailable, why)
	}
	p := newPeer(g, route, req)
	_, err := websocket.Upgrade(w, r, p.config())
	if err == nil {
		return http.StatusSwitchingProtocols
	}
	g.release()
	var said *websocket.HandshakeError
	if errors.As(err, &said) {
		return said.Status
	}
	return http.StatusServiceUnavailable // the gateway is stopping, or the client is gone
}

// offered reports whether r offers one of our subprotocols, or we have none.
func (g *Gateway) offered(r *server.Request) bool {
	if len(g.cfg.Subprotocols) == 0 {
		return true
	}
	h := r.Header()
	for line, at := h.Next("Sec-WebSocket-Protocol", 0); at > 0; line, at = h.Next("Sec-WebSocket-Protocol", at) {
		for offer := range http1.Elements(string(line)) {
			if slices.Contains(g.cfg.Subprotocols, offer) {
				return true
			}
		}
	}
	return false
}

func requestOf(r *server.Request) Request {
	h := r.Header()
	protocol := "HTTP/1.1"
	if r.Multiplexed() {
		protocol = "HTTP/2.0"
	} else if r.ProtoMinor() == 0 {
		protocol = "HTTP/1.0"
	}
	return Request{
		Start: time.Now(), Remote: r.RemoteAddr().String(), Method: string(r.Method()), Target: string(r.Target()), Protocol: protocol,
		Referer: h.GetString("Referer"), Agent: h.GetString("User-Agent"), Origin: h.GetString("Origin"),
	}
}
