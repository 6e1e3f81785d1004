package websocket

import (
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/pageorigin"
)

// allows reports whether pages of the request's origin may connect (RFC 6455 §10.2).
func (s *settings) allows(origins []string, host string) bool {
	if s.CheckOrigin != nil {
		return len(origins) <= 1 && s.CheckOrigin(strings.Join(origins, ""), host)
	}
	return pageorigin.Allowed(origins, host, s.Origins)
}
