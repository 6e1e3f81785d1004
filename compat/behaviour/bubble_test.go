package behaviour

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// The server works on a net.Pipe inside a testing/synctest bubble, and uses the bubble's time.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			io.WriteString(w, "an hour later")
		})}
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(newOneConn(server)) }()
		go io.WriteString(client, getRoot)
		res, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(res.Body); string(b) != "an hour later" {
			t.Errorf(`got %q, %v; want "an hour later"`, b, err)
		}
		client.Close()
		s.Close()
		<-ended
	})
}
