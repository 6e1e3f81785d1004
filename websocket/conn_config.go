package websocket

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/backlog"
)

// connConfig is the part of a Config that a connection keeps. Connections with the same values share one.
type connConfig struct {
	open         *atomic.Int64 // the number of connections of the group
	closeTimeout time.Duration
	threshold    int
	backlog      backlog.Limits
	subprotocol  string // what was agreed on
}
