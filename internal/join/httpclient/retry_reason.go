package httpclient

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// retry is the reason why a request may be sent again.
type retry uint8

const (
	never     retry = iota
	stale           // the connection had ended before the server saw the request
	refused         // the server says that it has not processed the request
	early           // the server does not take the request before the handshake is complete (RFC 8470 §5.2)
	elsewhere       // the alternative service is none for the request (RFC 7838 §6)
)

// maxRetries returns how often a request is sent again.
func (a retry) maxRetries() int {
	if a == refused {
		return 6
	}
	return 100 // each attempt uses up one idle connection; the other reasons come once
}

// pause waits before the next attempt. For a server that refused the request it backs off exponentially, but does not wait
// before the first retry.
func (a retry) pause(ctx context.Context, bound func(context.Context) context.Context, try int) error {
	if a != refused || try == 0 {
		return nil
	}
	if bound != nil {
		ctx = bound(ctx)
	}
	wait := time.Duration(float64(time.Second<<(try-1)) * (1 + 0.1*rand.Float64()))
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// retryUnprocessed returns refused if err says that a server of HTTP/2 has not processed the request, else never.
func retryUnprocessed(err error) retry {
	if h2client.Unprocessed(err) {
		return refused
	}
	return never
}
