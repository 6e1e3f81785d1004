package nethttp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/nethttp"
)

// counted waits until the names in want have been reported.
func counted(t *testing.T, names <-chan string, want ...string) {
	t.Helper()
	for _, want := range want {
		select {
		case got := <-names:
			if got != want {
				t.Errorf("counted %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q was not counted", want)
		}
	}
	if len(names) > 0 {
		t.Errorf("counted %q besides", <-names)
	}
}

// CountError of a Server gets the name of each rule that a client breaks.
func TestCountError(t *testing.T) {
	names := make(chan string, 10)
	std := &http.Server{Handler: http.NotFoundHandler(), HTTP2: &http.HTTP2Config{CountError: func(name string) { names <- name }}}
	k := h2Serve(t, nethttp.FromServer(std))
	k.Framer.AllowIllegalWrites = true
	k.Framer.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x82"), EndHeaders: true, EndStream: true})
	k.Framer.WriteWindowUpdate(0, 0)
	k.until("GOAWAY", func(f xhttp2.Frame) bool { return f.Header().Type == xhttp2.FrameGoAway })
	counted(t, names, "stream_protocol_error_pseudo_missing", "conn_protocol_error_window_update_zero")
}

// CountError of a Transport gets the name of each error that a server sends and of each rule that it breaks.
func TestTransportCountError(t *testing.T) {
	names := make(chan string, 10)
	url := script(t, func(p *frames) {
		p.settings()
		p.asked()
		if p.n > 0 {
			p.goAway(1, http2.ErrCodeEnhanceYourCalm)
			p.reset(1, http2.ErrCodeInternal)
			p.drain()
			return
		}
		p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "")
		p.want(xhttp2.FrameRSTStream)
		p.asked()
		p.send(xhttp2.FramePushPromise, 0, 3, "")
		p.drain()
	})
	tr := dialScript(t)
	tr.HTTP2 = &http.HTTP2Config{CountError: func(name string) { names <- name }}
	for range 3 {
		if res, err := tr.RoundTrip(post(t, url, strings.NewReader("x"))); err == nil {
			t.Errorf("got %s", res.Status)
			res.Body.Close()
		}
	}
	counted(t, names, "stream_protocol_error_pseudo_missing", "conn_protocol_error_push_promise",
		"recv_goaway_enhance_your_calm", "recv_rststream_internal_error")
}

// asked reads a request.
func (p *frames) asked() {
	p.t.Helper()
	p.want(xhttp2.FrameHeaders)
	for end := xhttp2.Flags(0); end == 0; {
		h, _ := p.want(xhttp2.FrameData)
		end = h.Flags & xhttp2.FlagHeadersEndStream
	}
}
