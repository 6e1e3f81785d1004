package echo

import (
	"net"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// After a signal a request in flight is answered, idle connections are closed, and new ones are not accepted.
func TestStopLetsRequestsFinish(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		idle := r.Dial()
		idle.Say("GET /plaintext HTTP/1.1\r\nHost: h\r\n\r\n")
		idle.Hear("GET")
		busy := r.Dial()
		busy.Say("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if resp, err := http.ReadResponse(busy.R, nil); err != nil || resp.StatusCode != 100 {
			t.Fatalf("got %v, %v; want 100: the request is in the handler's hands", resp, err)
		}
		r.First()
		idle.WantEnd() // an idle connection has nothing to finish
		if nc, err := net.Dial("tcp", r.Addr); err == nil {
			nc.Close()
			t.Error("a new connection was accepted")
		}
		busy.Say("hello")
		if resp, body := busy.Hear("POST"); resp.StatusCode != 200 || body != report("POST", "/", "h", "", "hello") || !resp.Close {
			t.Errorf("the request in flight got %s %q, close %v; want its answer and close", resp.Status, body, resp.Close)
		}
		busy.WantEnd()
		if err := r.End(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// A second signal ends a server with a request in flight at once, without an error.
func TestSecondStopEndsAtOnce(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		busy := r.Dial()
		busy.Say("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if resp, err := http.ReadResponse(busy.R, nil); err != nil || resp.StatusCode != 100 {
			t.Fatalf("got %v, %v; want 100", resp, err)
		}
		r.First()
		r.Again()
		if err := r.End(); err != nil {
			t.Errorf("the server ended with %v; the end was asked for twice, so it is none", err)
		}
	})
}
