package hostile

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// flood is how many frames of a kind are sent: enough for the server to have had enough of it.
const flood = 1000

// Frames without progress end the connection with a close code, pings and messages get their replies in any number, and pongs are
// read.
func TestFloods(t *testing.T) {
	many := func(b []byte) string { return strings.Repeat(string(b), flood) }
	const hello = "\x81\x05hello"
	for _, c := range []struct{ what, sent, want string }{
		{"empty fragments", string(frame(opText, 0, "")) + many(frame(opContinuation, 0, "")),
			closeFrame(websocket.ClosePolicyViolation, "too many empty fragments in a row")},
		{"empty fragments behind a byte", string(frame(opBinary, 1, "x")) + many(frame(opContinuation, 0, "")),
			closeFrame(websocket.ClosePolicyViolation, "too many empty fragments in a row")},
		{"fragments of one byte", string(frame(opText, 1, "x")) + many(frame(opContinuation, 1, "x")), closeFrame(websocket.CloseMessageTooBig, "")},
		{"pings", many(final(frame(opPing, 1, "p"))) + greeting, many([]byte("\x8a\x01p")) + hello},
		{"pongs", many(final(frame(opPong, 0, ""))) + greeting, hello},
		{"empty messages", many(final(frame(opBinary, 0, ""))) + greeting, many([]byte("\x82\x00")) + hello},
	} {
		t.Run(c.what, func(t *testing.T) {
			for _, way := range []wsecho.Way{wsecho.Blocking, wsecho.Callbacks} {
				peer := connect(t, way.Start(t, websocket.Config{ReadLimit: flood / 2}).Addr)
				if _, err := io.WriteString(peer, c.sent); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, len(c.want))
				if n, err := io.ReadFull(peer, got); !bytes.Equal(got, []byte(c.want)) {
					t.Errorf("%s: %d bytes, %v: %.60q, want %.60q", way.Name, n, err, got[:n], c.want)
				}
			}
		})
	}
}

// greeting is a message whose echo is known.
var greeting = string(final(frame(opText, 5, "hello")))

// connect opens a WebSocket connection.
func connect(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(both.Patience))
	if err := open(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// closeFrame returns what the server says when it closes.
func closeFrame(code websocket.CloseCode, reason string) string {
	b := binary.BigEndian.AppendUint16([]byte{0x88, byte(2 + len(reason))}, uint16(code))
	return string(append(b, reason...))
}
