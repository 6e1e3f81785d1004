package server_test

import (
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// noHalves wraps the connections of a listener in a type that shows nothing but a net.Conn.
type noHalves struct{ net.Listener }

// Accept implements net.Listener.
func (l noHalves) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	return struct{ net.Conn }{nc}, err
}

// A client that goes on sending a refused body can read the response afterwards, also if the server's connection cannot
// close its half.
func TestAnswerDuringUpload(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := startOn(t, noHalves{l}, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.Error(413, "too large")
	})})
	k := f.talk(t)
	k.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
	for range 16 {
		k.Send(strings.Repeat("x", 64<<10))
	}
	if got := head(k); !strings.HasPrefix(got, "HTTP/1.1 413 ") {
		t.Errorf("the response was %q", got)
	}
	k.Close()
}
