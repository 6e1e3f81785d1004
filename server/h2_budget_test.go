package server_test

import (
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// HTTP2Config.Budget sets how many pings in a row end a connection.
func TestH2Budget(t *testing.T) {
	for budget, ends := range map[int32]bool{10: true, 0: true, 1 << 20: false, -1: false} {
		f := start(t, server.Config{Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {}), HTTP2: server.HTTP2Config{Budget: budget}})
		nc, err := net.Dial("tcp", f.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		answered, code, err := h2talk.Pings(nc, 1500, true)
		if err != nil || (code == http2.ErrCodeEnhanceYourCalm) != ends || budget == 10 && answered > 1000 {
			t.Errorf("budget %d: %d pings got an answer, then %v, %v", budget, answered, code, err)
		}
	}
}
