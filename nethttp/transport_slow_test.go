package nethttp_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/nethttp"
)

// A server that stops reading a request ends it with a timeout, after WriteByteTimeout if that is set. The error does not
// blame the response, whether or not ResponseHeaderTimeout is set.
func TestTransportSlowServer(t *testing.T) {
	t.Parallel()
	const limit = 20 * time.Second
	for name, tc := range map[string]struct {
		speak    *http.Protocols
		cfg      *http.HTTP2Config
		min, max time.Duration
		head     time.Duration // ResponseHeaderTimeout
	}{
		"HTTP/1.1":               {nil, nil, time.Minute, time.Hour, 0},
		"HTTP/1.1 header time":   {nil, nil, time.Minute, time.Hour, time.Second},
		"HTTP/1.1 WriteByteTime": {nil, &http.HTTP2Config{WriteByteTimeout: limit}, time.Minute, time.Hour, 0},
		"HTTP/2":                 {h2c(), nil, time.Minute, time.Hour, 0},
		"HTTP/2 header time":     {h2c(), nil, time.Minute, time.Hour, time.Second},
		"HTTP/2 WriteByteTime":   {h2c(), &http.HTTP2Config{WriteByteTimeout: limit}, limit, 2 * time.Minute, 0}, // the kernel still accepts some bytes at first
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, begun := takesNothing(t, tc.speak != nil)
			tr := &nethttp.Transport{Protocols: tc.speak, HTTP2: tc.cfg, ResponseHeaderTimeout: tc.head}
			defer tr.Close()
			clk := nethttp.StandStill(tr)
			began, failed := clk.Now(), make(chan struct{})
			step := 400 * time.Millisecond
			if tc.max < time.Hour {
				step /= 40 // the time for which goroutines wait for a processor counts in the clock's time
			}
			go func() { <-begun; passBy(clk, step, failed) }()
			_, err := tr.RoundTrip(post(t, url, io.LimitReader(zeros{}, 1<<30)))
			close(failed)
			var ne net.Error
			if !errors.As(err, &ne) || !ne.Timeout() || strings.Contains(err.Error(), "response") {
				t.Errorf("got %v", err)
			}
			if d := time.Duration(clk.Now() - began); d < tc.min || d > tc.max {
				t.Errorf("after %v", d)
			}
		})
	}
}

// takesNothing is a server that reads only the beginning of a request, and then sends to begun.
func takesNothing(t *testing.T, h2 bool) (url string, begun chan struct{}) {
	begun = make(chan struct{}, 9)
	if h2 {
		return script(t, func(p *frames) {
			p.settings(4, 1<<30)
			p.grow(0, 1<<30)
			p.want(xhttp2.FrameHeaders)
			begun <- struct{}{}
			<-t.Context().Done()
		}), begun
	}
	return "http://" + acceptAll(t, func(nc net.Conn, n int) {
		bufio.NewReaderSize(nc, 16).ReadByte()
		begun <- struct{}{}
		<-t.Context().Done()
	}), begun
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
