package load

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Runs against net/http's server over HTTP/2 have no errors on either side.
func TestH2NetHTTP(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		cfg    Config
	}{
		{"one at a time", false, Config{}},
		{"streams", false, Config{Pipeline: 50}},
		{"more streams than the server takes", false, Config{Pipeline: 300}},
		{"TLS", true, Config{Pipeline: 8}},
		{"HEAD", false, Config{Method: "HEAD", Pipeline: 4}},
		{"a body", false, Config{Body: bytes.Repeat([]byte("x"), 1000), Pipeline: 3}},
		{"a large body", false, Config{Body: bytes.Repeat([]byte("x"), 1<<20)}},
		{"large bodies", true, Config{Body: bytes.Repeat([]byte("x"), 300<<10), Pipeline: 8}},
		{"with a rate", false, Config{Rate: 500, Pipeline: 4}},
		{"several URLs", false, Config{More: make([]*url.URL, 2), Pipeline: 5, Same: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var strange atomic.Int64
			s := serveNetHTTP(t, c.secure, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return // cut off at the end of the run
				}
				if r.ProtoMajor != 2 || r.RequestURI != "/x?y=z" || !bytes.Equal(body, c.cfg.Body) ||
					r.UserAgent() != "shockwave" || r.Header.Get("X-Mixed") != "Case" {
					strange.Add(1)
				}
				w.Write(body)
			})
			c.cfg.Header.Add("X-Mixed", "Case")
			c.cfg.Conns, c.cfg.TLS, c.cfg.Timeout = 2, insecure, time.Minute
			for i := range c.cfg.More {
				c.cfg.More[i] = s.url
			}
			res := runH2(t, s, c.cfg)
			if res.Requests == 0 || res.Errors != (account.Errors{}) || res.Statuses[200] != res.Requests {
				t.Errorf("%d requests, errors %+v, statuses %v, %+v", res.Requests, res.Errors, res.Statuses, res.Streams)
			}
			if s.asked.Load()+2*int64(max(c.cfg.Pipeline, 1)) < res.Requests || strange.Load() != 0 {
				t.Errorf("%d requests arrived, %d of them not as they were meant", s.asked.Load(), strange.Load())
			}
			if want := int64(250); res.Streams.MaxStreams != want {
				t.Errorf("the server takes %d streams, want %d", res.Streams.MaxStreams, want)
			}
			if out := res.Requests * int64(len(c.cfg.Body)); res.BytesIn == 0 || res.BytesOut < out/2 {
				t.Errorf("%d bytes in, %d out", res.BytesIn, res.BytesOut)
			}
		})
	}
}

// One fault of a server is counted once, over HTTP/2.
func TestH2Wrong(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(p *h2Peer, s *http2.Stream)
		want  account.Errors
	}{
		{"a server error", func(p *h2Peer, s *http2.Stream) { p.head(s, true, ":status", "503") }, account.Errors{Status: 1}},
		{"a shorter body", func(p *h2Peer, s *http2.Stream) {
			p.head(s, false, ":status", "200")
			p.out, _ = p.wire.AppendData(p.out, s, []byte("fin"), true, 1)
		}, account.Errors{Length: 1}},
		{"a longer body", func(p *h2Peer, s *http2.Stream) {
			p.head(s, false, ":status", "200")
			p.out, _ = p.wire.AppendData(p.out, s, []byte("fine!"), false, 1)
			p.head(s, true, "took", "1")
		}, account.Errors{Length: 1}},
		{"another length than it says", func(p *h2Peer, s *http2.Stream) {
			p.head(s, false, ":status", "200", "content-length", "5")
			p.out, _ = p.wire.AppendData(p.out, s, []byte("fine"), true, 1)
		}, account.Errors{Protocol: 1}},
		{"no status", func(p *h2Peer, s *http2.Stream) { p.head(s, true, "a", "b") }, account.Errors{Protocol: 1}},
		{"a reset", func(p *h2Peer, s *http2.Stream) { p.wire.Reset(s, http2.ErrCodeCancel) }, account.Errors{Reset: 1}},
		{"a refusal", func(p *h2Peer, s *http2.Stream) { p.wire.Reset(s, http2.ErrCodeRefusedStream) }, account.Errors{Reset: 1}},
		{"a reset in the middle", func(p *h2Peer, s *http2.Stream) {
			p.head(s, false, ":status", "200")
			p.flush()
			p.wire.Reset(s, http2.ErrCodeInternal)
		}, account.Errors{Reset: 1}},
		{"no answer", func(p *h2Peer, s *http2.Stream) { p.flush(); p.Close() }, account.Errors{Closed: 1}},
		{"a body cut short", func(p *h2Peer, s *http2.Stream) {
			p.head(s, false, ":status", "200")
			p.flush()
			p.Close()
		}, account.Errors{Length: 1}},
		{"no HTTP/2", func(p *h2Peer, s *http2.Stream) {
			p.out = append(p.out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"...)
			p.lastWords()
		}, account.Errors{Protocol: 1}},
		{"an error of the connection", func(p *h2Peer, s *http2.Stream) {
			p.wire.Fail(http2.ErrCodeEnhanceYourCalm, "slow down")
			p.lastWords()
		}, account.Errors{Closed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := playH2(t, http2.Config{}, func(p *h2Peer) {
				if p.index == 0 {
					p.fine(p.ask())
					s := p.ask()
					if s == nil {
						return
					}
					c.wrong(p, s)
					p.wire.Release(s)
				}
				p.answer()
			})
			res := runH2(t, s, Config{Same: true})
			if res.Errors != c.want {
				t.Errorf("errors %+v, want %+v; %+v", res.Errors, c.want, res.Streams)
			}
			if res.Requests < 2 {
				t.Errorf("%d requests: the run did not go on", res.Requests)
			}
			if got := res.Streams.Fault != ""; got != (c.want.Protocol > 0) {
				t.Errorf("the fault is %q", res.Streams.Fault)
			}
		})
	}
}

// The codes with which a server ends connections and streams are reported.
func TestH2Told(t *testing.T) {
	s := playH2(t, http2.Config{MaxStreams: 3}, func(p *h2Peer) {
		if p.index > 0 {
			p.answer()
			return
		}
		p.fine(p.ask())
		for _, code := range []http2.ErrCode{http2.ErrCodeCancel, http2.ErrCodeRefusedStream, http2.ErrCodeCancel} {
			s := p.ask()
			p.wire.Reset(s, code)
			p.wire.Release(s)
		}
		p.wire.Fail(http2.ErrCodeEnhanceYourCalm, "slow down")
		p.lastWords()
	})
	res := runH2(t, s, Config{})
	h := res.Streams
	if h.MaxStreams != 3 || !maps.Equal(h.Resets, map[string]int64{"CANCEL": 2, "REFUSED_STREAM": 1}) ||
		!maps.Equal(h.GoAways, map[string]int64{"ENHANCE_YOUR_CALM": 1}) || h.Words != "slow down" {
		t.Errorf("%+v", h)
	}
	if res.Errors.Reset != 3 {
		t.Errorf("errors %+v", res.Errors)
	}
}

// Requests that a GOAWAY leaves out are sent again elsewhere, at their place in the schedule, and are no errors.
func TestH2GoodBye(t *testing.T) {
	for _, rate := range []float64{0, 500} {
		var known atomic.Int64
		s := playH2(t, http2.Config{}, func(p *h2Peer) {
			var asked []*http2.Stream
			for range 3 {
				s := p.ask()
				if s == nil {
					return
				}
				asked = append(asked, s)
			}
			p.out = p.wire.AppendPending(p.out)
			// RFC 9113 §6.8: the third stream has not been looked at, nor has any behind it.
			h := http2.FrameHeader{Length: 8, Type: http2.FrameGoAway}
			p.out = append(h.Append(p.out), 0, 0, 0, byte(asked[1].ID()), 0, 0, 0, 0)
			p.flush()
			p.fine(asked[1])
			p.fine(asked[0])
			known.Add(2)
			p.lastWords()
		})
		res := s.scheduled(t, Config{HTTP2: true, Pipeline: 8, Conns: 2, Rate: rate})
		if res.Requests < 10 || res.Errors != (account.Errors{}) || res.Reconnects < res.Requests/2-2 {
			t.Errorf("rate %v: %d requests, %d reconnects, errors %+v", rate, res.Requests, res.Reconnects, res.Errors)
		}
		if got := known.Load(); got < res.Requests || got > res.Requests+4 {
			t.Errorf("rate %v: the servers answered %d requests, %d are counted", rate, got, res.Requests)
		}
		if n := res.Streams.GoAways["NO_ERROR"]; n < res.Reconnects {
			t.Errorf("rate %v: %d goodbyes for %d reconnects", rate, n, res.Reconnects)
		}
	}
}

// A request without an answer is given up alone; a connection on which nothing comes ends.
func TestH2Timeout(t *testing.T) {
	t.Run("a stream", func(t *testing.T) {
		t.Parallel()
		s := playH2(t, http2.Config{}, func(p *h2Peer) {
			p.ask() // and not a word about it
			p.answer()
		})
		res := runH2(t, s, Config{Pipeline: 2, Timeout: 2 * time.Second, Duration: 3 * time.Second})
		if res.Errors != (account.Errors{Timeout: 1}) || res.Requests < 10 || s.conns.Load() != 1 {
			t.Errorf("%d requests on %d connections, errors %+v", res.Requests, s.conns.Load(), res.Errors)
		}
	})
	t.Run("a connection", func(t *testing.T) {
		t.Parallel()
		s := playH2(t, http2.Config{}, func(p *h2Peer) {
			if p.index > 0 {
				p.answer()
				return
			}
			p.event() // all are read, none is answered
		})
		res := runH2(t, s, Config{Pipeline: 3, Timeout: time.Second})
		// The server's SETTINGS may come behind the first three.
		if n := res.Errors.Timeout; n != 3 && n != 6 || n != res.Errors.Total() || res.Requests == 0 {
			t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
		}
	})
}

// Responses mean the same in pieces of any size and in any order.
func TestH2Split(t *testing.T) {
	for name, split := range map[string]wiretest.Split{"whole": nil, "byte by byte": wiretest.EveryByte} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := pipes(t, Config{HTTP2: true, Pipeline: 2, Same: true}, split, talkH2(http2.Config{}, func(p *h2Peer) {
				for {
					a, b := p.ask(), p.ask()
					if a == nil || b == nil {
						return
					}
					p.head(b, false, ":status", "103", "link", "</x>")
					p.fine(b)
					p.fine(a)
				}
			}))
			if res.Requests == 0 || res.Errors != (account.Errors{}) || res.Statuses[200] != res.Requests {
				t.Errorf("%d requests, errors %+v, statuses %v, %+v", res.Requests, res.Errors, res.Statuses, res.Streams)
			}
		})
	}
}

// What HTTP/2 does not have is refused before anything is sent.
func TestH2Refused(t *testing.T) {
	with := func(scheme, name, value string) Config {
		cfg := Config{URL: &url.URL{Scheme: scheme, Host: "127.0.0.1:1"}, HTTP2: true}
		if name != "" {
			cfg.Header.Add(name, value)
		}
		return cfg
	}
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{with("ws", "", ""), "WebSocket over HTTP/2"},
		{with("http", "Connection", "close"), `the field "connection"`},
		{with("http", "Upgrade", "x"), `the field "upgrade"`},
		{with("http", "TE", "gzip"), `the field "te"`},
		{with("http", "Transfer-Encoding", "chunked"), "transfer-encoding"},
		{with("http", "Content-Length", "7"), "Content-Length is 7"},
	} {
		if _, err := Run(t.Context(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.cfg.Header, err, c.want)
		}
	}
}

// A server without HTTP/2 over TLS is a failed connection.
func TestH2NotSpoken(t *testing.T) {
	s := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {}, "http/1.1")
	cfg := Config{URL: s.url, HTTP2: true, TLS: insecure, Conns: 1, Timeout: 2 * time.Second}
	if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "protocol") {
		t.Errorf("HTTP/1.1 by ALPN: %v", err)
	}
	s = serveTLS(t, func(w http.ResponseWriter, r *http.Request) {})
	cfg.URL = s.url
	if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "does not choose h2") {
		t.Errorf("without ALPN: %v", err)
	}
}
