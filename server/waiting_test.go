package server_test

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
)

// ReadTimeout ends a body that does not arrive, also without a minimum rate.
func TestReadTimeoutByItself(t *testing.T) {
	f := start(t, server.Config{ReadTimeout: short, MinReadRate: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { r.Body() })})
	wantStatus(t, f.exchange(t, post("Content-Length: 5\r\n", "abc")), "408 Request Timeout")
}

// A response does not wait for a body that the client holds back until it gets a 100.
func TestABodyThatWasNotAskedForIsNotWaitedFor(t *testing.T) {
	f, _ := still(t, listen(t), server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.WriteText("no")
	})})
	k := f.talk(t)
	k.Send(post(expectField+"Content-Length: 3\r\n", ""))
	k.WantUntil("\r\n\r\nno")
	k.Close()
}

// HEAD of a long copy sends the head and nothing else.
func TestHEADOfWhatIsCopied(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetContentLength(30_000)
		if n, err := w.ReadFrom(strings.NewReader(strings.Repeat("x", 30_000))); n != 30_000 || err != nil {
			t.Errorf("ReadFrom: %d, %v", n, err)
		}
	})
	if got, want := f.exchange(t, head1("/")), lines("HTTP/1.1 200 OK", "Content-Length: 30000", "Connection: close", "", ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Informational responses have no framing fields (RFC 9110 §8.6, RFC 9112 §6.1).
func TestInformationalHasNoFraming(t *testing.T) {
	var h shockwave.Header
	h.Add("Transfer-Encoding", "chunked")
	h.Add("Content-Length", "5")
	h.Add("Link", "</a>")
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) { w.WriteInformational(103, &h) })
	got := f.exchange(t, get("/"))
	if want := lines("HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", "", ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
