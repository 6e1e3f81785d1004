package netconn_test

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A write that is interrupted to look at its peer goes on where it stopped, also in the middle of a TLS record.
func TestCutWriteGoesOn(t *testing.T) {
	const size = 8 << 20
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		written := make(chan error, 1)
		go func() {
			_, err := c.Write(make([]byte, size))
			written <- err
		}()
		for range 3 {
			stuck(t, &c.Link)
			netconn.WakeWriter(&c.Link)
		}
		if got := talk.WantN(size); strings.Count(got, "\x00") != size {
			t.Error("wrong bytes arrived")
		}
		if err := within(t, "Write", written); err != nil {
			t.Errorf("Write: %v", err)
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}
