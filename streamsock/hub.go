package streamsock

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// hub is what the peers of a socket share.
type hub struct {
	cfg    *settings
	engine *netconn.Engine
	inbox  *inbox
	peers  table
	groups members[*Peer]
	counts struct{ accepted, dialled, refused atomic.Int64 }

	mu               sync.Mutex
	closing          bool
	undeliveredCount int           // messages that were given up since closing
	closed           chan struct{} // closed when the socket is
}

// undelivered returns how many messages were not sent since the socket began to close.
func (h *hub) undelivered() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.undeliveredCount
}

// isClosing reports whether Shutdown or Close has been called.
func (h *hub) isClosing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closing
}

// countUndelivered counts messages that were not sent, once Shutdown or Close has been called.
func (h *hub) countUndelivered(n int) {
	h.mu.Lock()
	if h.closing {
		h.undeliveredCount += n
	}
	h.mu.Unlock()
}

// goneError returns the error of a Send to a peer that is gone.
func (h *hub) goneError() error {
	select {
	case <-h.closed:
		return ErrClosed
	default:
		return ErrGone
	}
}
