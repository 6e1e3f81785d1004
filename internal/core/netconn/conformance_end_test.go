package netconn_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// The closing alert is sent together with the pending output, in one write.
func TestAlertLeavesWithTheResponse(t *testing.T) {
	onSome(t, func(k kind) bool { return k.tls && !k.foreign }, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, line); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		below, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		reads := &eachRead{Conn: below}
		talk := wiretest.NewTalk(t, tls.Client(reads, &tls.Config{InsecureSkipVerify: true}))
		talk.Send("bye\n")
		talk.Want("bye\n")
		talk.WantEOF()
		reads.mu.Lock()
		defer reads.mu.Unlock()
		// A record of TLS 1.3 has a head of 5 bytes, the type in its last byte and a tag of 16: 4+22 and 2+22 bytes.
		if last := reads.sizes[len(reads.sizes)-1]; last != 26+24 {
			t.Errorf("reads of %v bytes, want the response and the alert in the last, 50 bytes", reads.sizes)
		}
	})
}

// eachRead is a connection that keeps the sizes of its reads.
type eachRead struct {
	net.Conn
	mu    sync.Mutex
	sizes []int
}

func (c *eachRead) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 {
		c.sizes = append(c.sizes, n)
	}
	return n, err
}

// What other goroutines append while a connection ends arrives whole or not at all, and does not damage the last response.
func TestAppendAtTheEnd(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			began := make(chan struct{})
			go func() {
				for i := range 1000 {
					if _, err := c.Write([]byte("news\n")); err != nil {
						return
					}
					if i == 0 {
						close(began)
					}
				}
			}()
			<-began
			if err := echo(c, line); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		for range 20 {
			talk := r.dial()
			talk.Send("bye\n")
			all, err := io.ReadAll(talk.Conn)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(all)) {
				if line != "news\n" && line != "bye\n" {
					t.Fatalf("got the line %q", line)
				}
			}
			if !strings.Contains(string(all), "bye\n") {
				t.Fatal("the response has not arrived")
			}
			talk.Close()
			r.wantEnd()
		}
	})
}
