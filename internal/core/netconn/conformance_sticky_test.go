package netconn_test

import (
	"net"
	"os"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// sticky is a transport that keeps returning a timeout, whatever its deadline becomes.
type sticky struct {
	net.Conn
	asked int
}

func (s *sticky) Write([]byte) (int, error) {
	s.asked++
	return 0, os.ErrDeadlineExceeded
}

// A timeout that returns again and again is given up after a while.
func TestStickyTimeout(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	e := netconn.New(netconn.Config{})
	defer e.Close()
	s := &sticky{Conn: near}
	c, err := e.Pull(s, nil, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("into the void")); !os.IsTimeout(err) || s.asked > 9 {
		t.Errorf("%v, after %d calls", err, s.asked)
	}
	c.Finish(netconn.ErrAbort)
}
