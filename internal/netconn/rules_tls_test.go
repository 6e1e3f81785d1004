package netconn_test

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// TestCutWriteGoesOn: a write that is cut so that somebody looks at its peer goes on where it stopped, also amid a record
// of TLS.
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
			netconn.WaitUntilBlocked(t, "IO wait", "(*Conn).waitSocket")
			netconn.KickWrite(c)
		}
		if got := talk.WantN(size); strings.Count(got, "\x00") != size {
			t.Error("other bytes came")
		}
		if err := within(t, "Write", written); err != nil {
			t.Errorf("Write: %v", err)
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// TestTLSSpeaksWhileOutputWaits: what TLS says of itself, amid a read perhaps, does not wait for a peer that reads
// nothing, and comes behind what is being sent.
func TestTLSSpeaksWhileOutputWaits(t *testing.T) {
	const size = 8 << 20
	onSome(t, isTLS, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		if ok, err := c.Post(netconn.Whole, make([]byte, size)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		netconn.WaitUntilBlocked(t, "IO wait", "(*Conn).waitSocket")
		said := make(chan error, 1)
		go func() { said <- netconn.CloseTLS(c) }()
		if err := within(t, "TLS to have spoken", said); err != nil {
			t.Error(err)
		}
		if n, err := io.Copy(io.Discard, talk.Conn); n == 0 || err != nil {
			t.Errorf("read %d bytes, %v", n, err)
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// TestTLSHasNoEar: a peer that makes TLS speak and does not read gets as much as the queue holds and one record, whether
// something is being sent to it or not. Nobody waits for it.
func TestTLSHasNoEar(t *testing.T) {
	const queue, word = 16 << 10, 1 << 10
	onSome(t, func(k kind) bool { return isTLS(k) && k.latched() }, func(t *testing.T, k kind) {
		for _, sending := range []bool{false, true} {
			near, far := connection(t, k)
			if !sending {
				fill(below(near))
			}
			e := netconn.New(netconn.Config{WriteBuffer: queue})
			c, err := e.Pull(near, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if sending {
				if ok, err := c.Post(netconn.Whole, make([]byte, 8<<20)); !ok || err != nil {
					t.Fatal(ok, err)
				}
				netconn.WaitUntilBlocked(t, "IO wait", "(*Conn).waitSocket")
			}
			for i := range queue/word + 1 {
				if err := netconn.SpeakTLS(c, make([]byte, word)); err != nil {
					t.Errorf("sending %v: word %d: %v", sending, i, err)
				}
			}
			if err := netconn.SpeakTLS(c, []byte{0}); err != netconn.ErrSlow {
				t.Errorf("sending %v: the last word: %v", sending, err)
			}
			_ = transport(far).Close()
			c.Finish(netconn.ErrAbort)
			_ = e.Close()
		}
	})
}

// below returns the connection that a *tls.Conn of TLSClient is on.
func below(nc net.Conn) net.Conn { return nc.(*tls.Conn).NetConn() }

// fill writes until the socket takes nothing more.
func fill(nc net.Conn) {
	_ = nc.SetWriteDeadline(time.Now().Add(millis(20)))
	for err := error(nil); !os.IsTimeout(err); {
		_, err = nc.Write(make([]byte, 64<<10))
	}
	_ = nc.SetWriteDeadline(time.Time{})
}
