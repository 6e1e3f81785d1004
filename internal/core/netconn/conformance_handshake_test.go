package netconn_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A client that connects and sends nothing does not hold a goroutine for ever.
func TestHandshakeTimeout(t *testing.T) {
	atOnce(t, isTLS, func(t *testing.T, k kind) {
		const limit = 10 * time.Second
		r := serve(t, k, still(netconn.Config{HandshakeTimeout: limit}), lines(echo))
		for _, hello := range []string{"", "\x16\x03\x01\x02\x00"} { // the frame of a ClientHello that never comes
			nc, err := r.connectTransport()
			if err != nil {
				t.Fatal(err)
			}
			talk := wiretest.NewTalk(t, nc)
			talk.Send(hello)
			eventually(t, "the connection to be accepted", func() bool { return r.eng.Stats().Open == 1 })
			r.settled()
			r.pass(limit - clock.Tick)
			talk.WantSilence(millis(3))
			r.pass(clock.Tick)
			talk.WantGone()
			eventually(t, "the connection to end", func() bool { return r.eng.Stats().Open == 0 })
		}
		if n := len(r.ends); n != 0 {
			t.Errorf("End was called %d times for connections that had no protocol", n)
		}
	})
}

// Bytes that are not TLS end the connection and are reported to OnHandshakeError. Other connections go on.
func TestHandshakeFails(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		told := make(chan error, 1)
		r := serve(t, k, netconn.Config{OnHandshakeError: func(nc net.Conn, err error) {
			// A client that speaks cleartext to a TLS port can still be told so.
			_, _ = io.WriteString(nc, "speak TLS\n")
			told <- err
		}}, lines(echo))
		nc, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		talk := wiretest.NewTalk(t, nc)
		talk.Send("GET / HTTP/1.1\r\n\r\n")
		if rest, _ := io.ReadAll(talk.Conn); !strings.Contains(string(rest), "speak TLS\n") {
			t.Errorf("the client got %q", rest)
		}
		if err := within(t, "OnHandshakeError", told); err == nil {
			t.Error("OnHandshakeError got nil")
		}
		good := r.dial()
		good.Send("hello\n")
		good.Want("hello\n")
	})
}
