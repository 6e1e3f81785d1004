package netconn_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// TestPulledRead: Read copies what is unread, as far as it fits; when that is taken it waits for more, and never
// returns nothing. It ends with the stream.
func TestPulledRead(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "ahead")
		p := make([]byte, 3)
		read := func(want string, fails error) {
			t.Helper()
			n, err := c.Read(p)
			if got := string(p[:n]); got != want || err != fails {
				t.Errorf("Read: %q and %v, want %q and %v", got, err, want, fails)
			}
		}
		read("ahe", nil)
		read("ad", nil)
		if n, err := c.Read(nil); n != 0 || err != nil {
			t.Errorf("Read of nothing: %d, %v", n, err)
		}
		go talk.Conn.Write([]byte("x"))
		read("x", nil)
		talk.HalfClose()
		read("", io.EOF)
		c.Finish(netconn.ErrDone)
	})
}

// TestErrSlowIsATimeout: to those who ask a net.Error.
func TestErrSlowIsATimeout(t *testing.T) {
	var nerr net.Error
	if !errors.As(netconn.ErrSlow, &nerr) || !nerr.Timeout() || nerr.Temporary() { //lint:ignore SA1019 users ask
		t.Errorf("%v: timeout %v, temporary %v", nerr, nerr.Timeout(), nerr.Temporary())
	}
}
