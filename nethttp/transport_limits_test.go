package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/nethttp"
)

// oneByOne sends responses in order, each when leave allows it, with SETTINGS_MAX_CONCURRENT_STREAMS of 1. It fails if
// two streams are open at once.
func oneByOne(t *testing.T, leave <-chan struct{}) func(p *frames) {
	return func(p *frames) {
		p.settings(3, 1)
		heard := make(chan xhttp2.FrameHeader)
		go func() {
			defer close(heard)
			for {
				h, _, ok := p.next()
				if !ok || h.Type == xhttp2.FrameGoAway {
					return
				}
				heard <- h
			}
		}()
		open := uint32(0)
		for {
			may := leave
			if open == 0 {
				may = nil
			}
			select {
			case h, ok := <-heard:
				switch {
				case !ok:
					return
				case h.Type == xhttp2.FrameHeaders && open != 0:
					t.Error("another request before the response")
				case h.Type == xhttp2.FrameHeaders:
					open = h.StreamID
				case h.Type == xhttp2.FrameRSTStream && h.StreamID == open:
					open = 0
				}
			case <-may:
				p.head(open, true)
				open = 0
			}
		}
	}
}

// With Strict, requests beyond the server's limit wait, and a wait ends with its context.
func TestTransportStrictLimit(t *testing.T) {
	leave := make(chan struct{}, 10)
	url := script(t, oneByOne(t, leave))
	tr := dialScript(t)
	tr.HTTP2 = &http.HTTP2Config{StrictMaxConcurrentRequests: true}
	leave <- struct{}{}
	roundTrip(t, tr, getRequest(t, url)) // the limit has arrived
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { roundTrip(t, tr, getRequest(t, url)) })
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := tr.RoundTrip(getRequest(t, url).WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
	close(leave)
	wg.Wait()
}

// Without Strict, requests beyond the server's limit get another connection.
func TestTransportFurtherConnections(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	url := script(t, func(p *frames) {
		p.settings(3, 1)
		if p.n == 0 {
			p.want(xhttp2.FrameHeaders)
			p.head(1, true)
			p.want(xhttp2.FrameHeaders)
			close(first)
			<-second
			p.head(3, true)
		} else {
			p.want(xhttp2.FrameHeaders)
			close(second)
			p.head(1, true)
		}
		p.rest()
	})
	tr := dialScript(t)
	roundTrip(t, tr, getRequest(t, url)) // the limit has arrived
	var wg sync.WaitGroup
	wg.Go(func() { roundTrip(t, tr, getRequest(t, url)) })
	<-first
	roundTrip(t, tr, getRequest(t, url))
	wg.Wait()
}

// A server that announces no limit gets many requests at once.
func TestTransportUnbounded(t *testing.T) {
	const many = 150
	url := script(t, func(p *frames) {
		p.settings()
		if p.n > 0 {
			t.Error("a further connection")
			return
		}
		p.want(xhttp2.FrameHeaders)
		p.head(1, true)
		var ids []uint32
		for range many {
			h, _ := p.want(xhttp2.FrameHeaders)
			ids = append(ids, h.StreamID)
		}
		for _, id := range ids {
			p.head(id, true)
		}
		p.rest()
	})
	tr := dialScript(t)
	roundTrip(t, tr, getRequest(t, url)) // the server's settings have arrived
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() { roundTrip(t, tr, getRequest(t, url)) })
	}
	wg.Wait()
}

// Response bodies that nobody reads do not block other responses.
func TestTransportUnreadBodies(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 300_000)
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(big)
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		var unread []*http.Response
		for range 20 {
			resp, err := tr.RoundTrip(getRequest(t, url))
			if err != nil {
				t.Fatal(err)
			}
			unread = append(unread, resp)
		}
		for i := len(unread) - 1; i >= 0; i-- {
			b, err := io.ReadAll(unread[i].Body)
			if err != nil || len(b) != len(big) {
				t.Fatal(len(b), err)
			}
			unread[i].Body.Close()
		}
	})
}

// A rule that the server breaks soon becomes an error of the request.
func TestTransportHostile(t *testing.T) {
	for name, tc := range map[string]struct {
		say  func(p *frames)
		code http2.ErrCode
	}{
		"endless head": {func(p *frames) {
			p.send(xhttp2.FrameHeaders, 0, 1, "\x88")
			for range 2000 {
				p.send(xhttp2.FrameContinuation, 0, 1, strings.Repeat("\x00\x01a\x01b", 3000))
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"large list": {func(p *frames) {
			p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders|xhttp2.FlagHeadersEndStream, 1, "\x88"+strings.Repeat("\x00\x01a\x01b", 2500))
		}, http2.ErrCodeEnhanceYourCalm},
		"endless 1xx": {func(p *frames) {
			for range 3000 {
				p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\x08\x03103")
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"too long": {func(p *frames) {
			p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\x88\x0f\x0d\x013") // content-length: 3
			p.data(1, "1234", true)
		}, http2.ErrCodeProtocol},
		"no body": {func(p *frames) {
			p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders|xhttp2.FlagHeadersEndStream, 1, "\x88\x0f\x0d\x013")
		}, http2.ErrCodeProtocol},
		"no status":    {func(p *frames) { p.send(xhttp2.FrameHeaders, xhttp2.FlagHeadersEndHeaders, 1, "\x00\x01a\x01b") }, http2.ErrCodeProtocol},
		"data first":   {func(p *frames) { p.data(1, "x", true) }, http2.ErrCodeProtocol},
		"other stream": {func(p *frames) { p.head(7, true) }, http2.ErrCodeProtocol},
		"push": {func(p *frames) {
			p.send(xhttp2.FramePushPromise, xhttp2.FlagHeadersEndHeaders, 1, "\x00\x00\x00\x02\x88")
		}, http2.ErrCodeProtocol},
		"pings": {func(p *frames) {
			for range 5000 {
				p.send(xhttp2.FramePing, 0, 0, "12345678")
			}
		}, http2.ErrCodeEnhanceYourCalm},
	} {
		t.Run(name, func(t *testing.T) {
			url := script(t, func(p *frames) {
				p.settings()
				p.want(xhttp2.FrameHeaders)
				go func() { // what the client sends meanwhile does not matter
					for {
						if _, _, ok := p.frame(); !ok {
							return
						}
					}
				}()
				tc.say(p)
				<-p.t.Context().Done()
			})
			resp, err := dialScript(t).RoundTrip(getRequest(t, url))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			var e *http2.Error
			if name == "endless 1xx" && err != nil && strings.Contains(err.Error(), "1xx") {
				return // the client has had enough before the protocol's limit is reached
			}
			if !errors.As(err, &e) || e.Code != tc.code {
				t.Errorf("got %v, want %v", err, tc.code)
			}
		})
	}
}
