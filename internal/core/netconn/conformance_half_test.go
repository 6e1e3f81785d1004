package netconn_test

import (
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// On a served connection, pending output leaves before our half ends. What the peer sends afterwards is still read, and so
// is its end.
func TestHalfOfOurs(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		conns, heard := make(chan *netconn.Conn, 1), make(chan string, 2)
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if line == "who" {
				conns <- c
			}
			heard <- line
			return nil
		}))
		talk := r.dial()
		talk.Send("who\n")
		c := <-conns
		<-heard
		if _, err := c.Write([]byte("last")); err != nil {
			t.Fatal(err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		talk.Want("last")
		talk.WantEOF()
		if _, err := c.Write([]byte("more")); err != net.ErrClosed {
			t.Errorf("Write: %v", err)
		}
		talk.Send("bye\n")
		if line := <-heard; line != "bye" {
			t.Errorf("read %q", line)
		}
		talk.Close()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
	})
}
