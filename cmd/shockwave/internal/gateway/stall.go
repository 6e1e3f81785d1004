package gateway

import (
	"errors"
	"net"
	"os"
	"time"
)

// stallStep is how often a stallConn looks whether the service has taken something.
const stallStep = 50 * time.Millisecond

// stallConn is a connection to a service that fails a Write when the service has taken nothing for limit. It lies below TLS,
// whose Write may not go on after it has failed.
type stallConn struct {
	*net.TCPConn
	limit time.Duration
}

// Write implements net.Conn. Its steps are counted, not the time: what a suspended gateway misses is no fault of the service.
func (c *stallConn) Write(b []byte) (n int, err error) {
	for still := time.Duration(0); still < c.limit; {
		step := min(stallStep, c.limit-still)
		_ = c.SetWriteDeadline(time.Now().Add(step))
		k, err := c.TCPConn.Write(b[n:])
		if n += k; n == len(b) || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if still += step; k > 0 {
			still = 0
		}
	}
	return n, os.ErrDeadlineExceeded
}
