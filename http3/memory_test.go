package http3_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// The windows of a peer that says it takes everything.
const (
	wideWindow = 1 << 30
	wideBody   = 64 << 20
)

var wide = &quic.Config{
	MaxIncomingStreams: 100, InitialStreamReceiveWindow: wideWindow, MaxStreamReceiveWindow: wideWindow, InitialConnectionReceiveWindow: wideWindow,
	MaxConnectionReceiveWindow: wideWindow,
}

// A response waits in its handler, not in the server's memory, even if the client's flow control allows all of it.
func TestWideWindows(t *testing.T) {
	var stuck atomic.Int64
	piece := make([]byte, 8<<10)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		for range wideBody / len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
			if string(r.Path()) == "/stuck" {
				stuck.Add(int64(len(piece)))
			}
		}
	})}, http3.Config{})
	l := newLine(t, r.addr, 0, 0)
	behind := *r
	behind.addr = l.front.LocalAddr().String()
	k := &talk{&behind, behind.dialWith(wide)}
	k.uni(unhex(t, "00 0400"))
	k.open(unhex(t, "[:method GET|:scheme https|:authority a.test|:path /stuck]"), true)
	wiretest.Eventually(t, "the response begins", func() bool { return stuck.Load() > 0 })
	l.set(true)
	// Another client gets such a response whole meanwhile.
	k = &talk{r, r.dialWith(wide)}
	k.uni(unhex(t, "00 0400"))
	if n, err := io.Copy(io.Discard, k.open(unhex(t, get), true)); n < wideBody || err != nil {
		t.Fatal(n, err)
	}
	if n := stuck.Load(); n > wideBody/4 {
		t.Errorf("%d bytes were written for a client that takes nothing", n)
	}
}

// A request body waits in the caller's reader, not in the client's memory, even if the server's flow control allows all of it.
func TestWideWindowsOfServer(t *testing.T) {
	honest := func(e *evilConn) { e.honest() }
	r := evilAlways(t, func(e *evilConn) { go honest(e) }, *wide)
	l := newLine(t, r.addr, 0, 0)
	behind := newClientRig(t, l.front.LocalAddr().String())
	var stuck atomic.Int64
	req, _ := http.NewRequestWithContext(t.Context(), "POST", behind.url+"/", io.TeeReader(content(wideBody), counter{&stuck}))
	go behind.tr.RoundTrip(req)
	wiretest.Eventually(t, "the body begins", func() bool { return stuck.Load() > 0 })
	l.set(true)
	if _, body := r.do("POST", "/", content(wideBody)); body != "ok" {
		t.Fatalf(`got %q, want "ok"`, body)
	}
	if n := stuck.Load(); n > wideBody/4 {
		t.Errorf("%d bytes were read for a server that takes nothing", n)
	}
}

// counter counts the bytes that are written.
type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}
