package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/nethttp"
)

// dialScript returns a Transport for scripted servers.
func dialScript(t *testing.T) *nethttp.Transport {
	tr := &nethttp.Transport{Protocols: h2c()}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func post(t *testing.T, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// A request that the server has refused is sent again with its body, unless the body cannot be had again.
func TestTransportRefused(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.reset(1, http2.ErrCodeRefusedStream)
		for {
			h, b, ok := p.next()
			if !ok {
				return
			}
			if h.StreamID == 3 && h.Type == xhttp2.FrameData {
				p.head(3, false)
				p.data(3, string(b), true)
			}
		}
	})
	if _, body := roundTrip(t, dialScript(t), post(t, url, strings.NewReader("again"))); body != "again" {
		t.Errorf("got %q", body)
	}
	once := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.want(xhttp2.FrameData) // a body that was not read is sent again as it is
		p.reset(1, http2.ErrCodeRefusedStream)
		p.drain()
	})
	_, err := dialScript(t).RoundTrip(post(t, once, io.MultiReader(strings.NewReader("once"))))
	var e *http2.Error
	if !errors.As(err, &e) || e.Code != http2.ErrCodeRefusedStream {
		t.Errorf("got %v", err)
	}
}

// What arrived before a reset can be read, followed by an error with the reset's code.
func TestTransportReset(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.head(1, false)
		p.data(1, "half", false)
		p.reset(1, http2.ErrCodeInternal)
		p.want(xhttp2.FrameHeaders)
		p.reset(3, http2.ErrCodeEnhanceYourCalm)
		p.want(xhttp2.FrameHeaders)
		p.head(5, true)
		p.rest()
	})
	tr := dialScript(t)
	resp, err := tr.RoundTrip(getRequest(t, url))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	var e *http2.Error
	if string(b) != "half" || !errors.As(err, &e) || e.Code != http2.ErrCodeInternal {
		t.Errorf("got %q, %v", b, err)
	}
	if _, err = tr.RoundTrip(getRequest(t, url)); !errors.As(err, &e) || e.Code != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("got %v", err)
	}
	if resp, _ := roundTrip(t, tr, getRequest(t, url)); resp.ContentLength != 0 || resp.Body != http.NoBody {
		t.Errorf("got %+v", resp)
	}
}

// When a connection ends in the middle of a body, what arrived can be read, followed by io.ErrUnexpectedEOF.
func TestTransportCut(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.head(1, false)
		p.data(1, "half", false)
		p.Conn.(patient).Conn.(*net.TCPConn).CloseWrite()
		p.drain() // the client resets the stream, if it still can
	})
	resp, err := dialScript(t).RoundTrip(getRequest(t, url))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(resp.Body); string(b) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", b, err)
	}
	resp.Body.Close()
}

// If the server closes an idle connection just as a request is sent, a request that may be repeated is sent again.
func TestTransportGoneIdle(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.head(1, true)
		if p.n == 0 {
			p.want(xhttp2.FrameHeaders)
			return
		}
		p.rest()
	})
	tr := dialScript(t)
	roundTrip(t, tr, getRequest(t, url))
	roundTrip(t, tr, getRequest(t, url))
	// If a new connection ends without a response, the request is not sent again.
	silent := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
	})
	if _, err := tr.RoundTrip(getRequest(t, silent)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// Closing a response body early resets its stream, and the connection stays usable.
func TestTransportCloseBody(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.head(1, false)
		p.data(1, "part", false)
		if h, b := p.want(xhttp2.FrameRSTStream); h.StreamID != 1 || string(b) != word(uint32(http2.ErrCodeCancel)) {
			t.Errorf("got %v %x", h, b)
		}
		h, _ := p.want(xhttp2.FrameHeaders)
		p.data(1, "late", true)
		p.head(h.StreamID, true)
		p.rest()
	})
	tr := dialScript(t)
	resp, err := tr.RoundTrip(getRequest(t, url))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if n, err := resp.Body.Read(make([]byte, 9)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("got %d, %v", n, err)
	}
	roundTrip(t, tr, getRequest(t, url))
}

// Close of a response body ends a Read of it that waits.
func TestTransportCloseReading(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.head(1, false)
		p.data(1, "x", false)
		p.want(xhttp2.FrameRSTStream)
		p.want(xhttp2.FrameHeaders)
		p.head(3, true)
		p.rest()
	})
	tr := dialScript(t)
	resp, err := tr.RoundTrip(getRequest(t, url))
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		resp.Body.Read(make([]byte, 1))
		read <- nil
		_, err := resp.Body.Read(make([]byte, 1))
		read <- err
	}()
	<-read
	resp.Body.Close()
	if err := <-read; err == nil || err == io.EOF {
		t.Errorf("got %v", err)
	}
	roundTrip(t, tr, getRequest(t, url))
}

// When the final response arrives before the body has been sent, the request body is closed.
func TestTransportEarlyAnswer(t *testing.T) {
	reset := make(chan struct{})
	url := script(t, func(p *frames) {
		p.settings()
		p.want(xhttp2.FrameHeaders)
		p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders|xhttp2.FlagHeadersEndStream, 1, "\x8d") // :status 404
		p.want(xhttp2.FrameRSTStream)
		close(reset)
		p.rest()
	})
	pr, pw := io.Pipe()
	resp, err := dialScript(t).RoundTrip(post(t, url, pr))
	if err != nil || resp.StatusCode != 404 {
		t.Fatal(resp, err)
	}
	for err == nil {
		_, err = pw.Write([]byte("x"))
	}
	if err != io.ErrClosedPipe {
		t.Errorf("the body's writer got %v", err)
	}
	<-reset
}

// An error of the request's body is returned by RoundTrip.
func TestTransportBodyFails(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		for {
			if _, _, ok := p.next(); !ok {
				return
			}
		}
	})
	tr := dialScript(t)
	broken := errors.New("broken")
	pr, pw := io.Pipe()
	pw.CloseWithError(broken)
	if _, err := tr.RoundTrip(post(t, url, pr)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for name, body := range map[string]string{"short": "123", "long": "123456"} {
		req := post(t, url, io.MultiReader(strings.NewReader(body)))
		req.ContentLength = 5
		if _, err := tr.RoundTrip(req); err == nil || strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// passUntil advances a clock that otherwise stands still until done is closed.
func passUntil(clk *clock.Clock, done <-chan struct{}) { passBy(clk, 100*time.Millisecond, done) }

// passBy advances clk by step each millisecond, until done is closed.
func passBy(clk *clock.Clock, step time.Duration, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
			clk.Advance(step)
		}
	}
}

// A request fails after ResponseHeaderTimeout if the server sends no response.
func TestTransportHeaderTimeout(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 9)
	url := script(t, func(p *frames) {
		p.settings()
		for {
			h, _, ok := p.next()
			if !ok {
				return
			}
			if h.Flags&xhttp2.FlagHeadersEndStream != 0 {
				asked <- struct{}{}
			}
		}
	})
	tr := dialScript(t)
	tr.ResponseHeaderTimeout = 30 * time.Second
	clk := nethttp.StandStill(tr)
	for _, req := range []*http.Request{getRequest(t, url), post(t, url, strings.NewReader("x"))} {
		began, failed := clk.Now(), make(chan struct{})
		go func() { <-asked; passUntil(clk, failed) }()
		_, err := tr.RoundTrip(req)
		close(failed)
		var ne net.Error
		if !errors.As(err, &ne) || !ne.Timeout() {
			t.Errorf("got %v", err)
		}
		if d := time.Duration(clk.Now() - began); d < tr.ResponseHeaderTimeout {
			t.Errorf("after %v", d)
		}
	}
}

// A server that sends nothing gets a PING, and the connection fails if it does not answer.
func TestTransportPing(t *testing.T) {
	asked := make(chan struct{}, 9)
	pinged := make(chan struct{}, 9)
	url := script(t, func(p *frames) {
		p.settings()
		for {
			h, _, ok := p.frame()
			if !ok {
				return
			}
			switch h.Type {
			case xhttp2.FrameSettings:
				if h.Flags&xhttp2.FlagSettingsAck == 0 {
					p.send(xhttp2.FrameSettings, xhttp2.FlagSettingsAck, 0, "")
				}
			case xhttp2.FrameHeaders:
				asked <- struct{}{}
			case xhttp2.FramePing:
				pinged <- struct{}{}
			}
		}
	})
	tr := dialScript(t)
	tr.HTTP2 = &http.HTTP2Config{SendPingTimeout: 20 * time.Second, PingTimeout: 5 * time.Second}
	clk := nethttp.StandStill(tr)
	began, failed := clk.Now(), make(chan struct{})
	go func() { <-asked; passUntil(clk, failed) }()
	_, err := tr.RoundTrip(getRequest(t, url))
	close(failed)
	var ne net.Error
	if !errors.As(err, &ne) || !ne.Timeout() || !strings.Contains(err.Error(), "ping") {
		t.Errorf("got %v", err)
	}
	if d := time.Duration(clk.Now() - began); d < 24*time.Second { // the clock counts in ticks
		t.Errorf("after %v", d)
	}
	<-pinged
}

// A connection without requests is closed after IdleConnTimeout, and at once by CloseIdleConnections.
func TestTransportIdle(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{}, 3)
	url := script(t, func(p *frames) {
		p.settings()
		h, _ := p.want(xhttp2.FrameHeaders)
		p.head(h.StreamID, true)
		p.want(xhttp2.FrameGoAway)
		p.rest()
		ended <- struct{}{}
	})
	tr := dialScript(t)
	tr.IdleConnTimeout = time.Minute
	clk := nethttp.StandStill(tr)
	roundTrip(t, tr, getRequest(t, url))
	began := clk.Now()
	passUntil(clk, ended)
	if d := time.Duration(clk.Now() - began); d < tr.IdleConnTimeout {
		t.Errorf("after %v", d)
	}
	slow := dialScript(t)
	roundTrip(t, slow, getRequest(t, url))
	slow.CloseIdleConnections()
	<-ended
	roundTrip(t, slow, getRequest(t, url))
	slow.CloseIdleConnections()
	<-ended
}

// A thousand cancelled requests are not treated as a fault of the server.
func TestTransportCancels(t *testing.T) {
	url := script(t, func(p *frames) {
		p.settings()
		for {
			h, _, ok := p.next()
			if !ok {
				return
			}
			if h.Type == xhttp2.FrameHeaders {
				p.head(h.StreamID, false)
				p.data(h.StreamID, strings.Repeat("x", 3000), false)
			}
			if h.Type == xhttp2.FrameRSTStream {
				p.data(h.StreamID, strings.Repeat("y", 3000), false)
				p.data(h.StreamID, strings.Repeat("y", 3000), false)
			}
		}
	})
	tr := dialScript(t)
	for range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := tr.RoundTrip(getRequest(t, url).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 3000))
		cancel()
		if _, err := io.Copy(io.Discard, resp.Body); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// A body is sent as far as the flow-control windows allow, and continues when they open.
func TestTransportUploadWindow(t *testing.T) {
	const size = 200_000
	url := script(t, func(p *frames) {
		p.settings(4, 1000) // SETTINGS_INITIAL_WINDOW_SIZE
		p.frame()
		p.send(xhttp2.FrameSettings, xhttp2.FlagSettingsAck, 0, "")
		got := 0
		for {
			h, b, ok := p.next()
			if !ok {
				return
			}
			if got += len(b); h.Type != xhttp2.FrameData {
				got = 0
				continue
			}
			if h.Flags&xhttp2.FlagHeadersEndStream != 0 {
				p.head(1, true)
				if got != size {
					t.Errorf("got %d", got)
				}
			} else {
				p.grow(1, uint32(len(b))+7777)
				p.grow(0, uint32(len(b)))
			}
		}
	})
	roundTrip(t, dialScript(t), post(t, url, bytes.NewReader(make([]byte, size))))
}

// A request stops trying after a few connections that ended without processing it.
func TestTransportNeverThere(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(p *frames){
		"closes":            func(p *frames) {},
		"goes away at once": func(p *frames) { p.settings(); p.goAway(0, http2.ErrCodeNo); p.drain() },
		"goes away with an error": func(p *frames) {
			p.settings()
			p.want(xhttp2.FrameHeaders)
			p.goAway(0, http2.ErrCodeEnhanceYourCalm)
			p.rest()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var conns atomic.Int32
			url := script(t, func(p *frames) { conns.Add(1); say(p) })
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			if _, err := dialScript(t).RoundTrip(getRequest(t, url).WithContext(ctx)); err == nil {
				t.Error("no error")
			}
			if n := conns.Load(); n > 10 || n > 1 && name == "goes away with an error" {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// A request waits for a server that accepts no streams for now, and uses only a few connections.
func TestTransportNoStreams(t *testing.T) {
	var conns atomic.Int32
	url := script(t, func(p *frames) {
		conns.Add(1)
		p.settings(3, 0)
		for {
			h, _, ok := p.next()
			if !ok {
				return
			}
			if h.Type == xhttp2.FrameHeaders {
				p.reset(h.StreamID, http2.ErrCodeRefusedStream)
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := dialScript(t).RoundTrip(getRequest(t, url).WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if n := conns.Load(); n > 10 {
		t.Errorf("%d connections", n)
	}
}

// If a body ends before its length, what arrived can be read, followed by an error that stays.
func TestTransportShortBody(t *testing.T) {
	for name, say := range map[string]func(p *frames){
		"in one frame": func(p *frames) { p.data(1, "12", true) },
		"in two":       func(p *frames) { p.data(1, "1", false); p.data(1, "2", true) },
		"an empty one": func(p *frames) { p.data(1, "12", false); p.data(1, "", true) },
		"padded": func(p *frames) {
			p.send(xhttp2.FrameData, xhttp2.FlagHeadersEndStream|xhttp2.FlagDataPadded, 1, "\x0312\x00\x00\x00")
		},
		"trailers": func(p *frames) {
			p.data(1, "12", false)
			p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders|xhttp2.FlagHeadersEndStream, 1, "\x00\x01a\x01b")
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := script(t, func(p *frames) {
				p.settings()
				p.want(xhttp2.FrameHeaders)
				p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\x88\x0f\x0d\x013") // content-length: 3
				say(p)
				if h, b := p.want(xhttp2.FrameRSTStream); h.StreamID != 1 || string(b) != word(uint32(http2.ErrCodeProtocol)) {
					t.Errorf("got %v %x", h, b)
				}
				h, _ := p.want(xhttp2.FrameHeaders) // the connection is used again
				p.head(h.StreamID, true)
				p.drain()
			})
			tr := dialScript(t)
			resp, err := tr.RoundTrip(getRequest(t, url))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_, again := resp.Body.Read(make([]byte, 1))
			if string(body) != "12" || err != io.ErrUnexpectedEOF || again != err {
				t.Errorf("got %q, %v, then %v", body, err, again)
			}
			resp.Body.Close()
			roundTrip(t, tr, getRequest(t, url))
		})
	}
}
