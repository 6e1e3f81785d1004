package client_test

import (
	"net"
	"testing"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
)

// A server that sends more pings in a row than Config.HTTP2Budget allows loses the connection.
func TestHTTP2Budget(t *testing.T) {
	for budget, ends := range map[int32]bool{10: true, 0: true, 1 << 20: false, -1: false} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c := client.New(client.Config{Protocol: client.HTTP2, HTTP2Budget: budget})
		defer c.Close()
		asked := make(chan bool)
		go func() {
			defer close(asked)
			if res, err := c.Get("http://" + l.Addr().String()); err == nil {
				res.Close()
				t.Error("got a response, want an error")
			}
		}()
		nc, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		answered, code, err := h2talk.Pings(nc, 1500, false)
		if err != nil || (code == http2.ErrCodeEnhanceYourCalm) != ends || budget == 10 && answered > 1000 {
			t.Errorf("budget %d: %d pings were answered, then %v, %v", budget, answered, code, err)
		}
		_ = nc.Close()
		<-asked
	}
}
