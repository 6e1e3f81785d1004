package tcpmux_test

import (
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// The system holds little unsent output of a channel, so that another channel does not wait behind it.
func TestHoldsLittleUnsent(t *testing.T) {
	t.Parallel()
	near, far := sockets(t, "tcp", "127.0.0.1:0")
	given(t, near, far, tcpmux.Config{})
	for _, nc := range []net.Conn{near, far} {
		if limit := wiretest.UnsentLimit(t, nc.(*net.TCPConn)); limit < 16<<10 || limit > 64<<10 {
			t.Errorf("got %d bytes", limit)
		}
	}
}
