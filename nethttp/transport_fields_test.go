package nethttp_test

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// noCarrier stands in for an HTTP/3 transport.
type noCarrier struct{ http.RoundTripper }

// Clone copies every field, and changes to the clone do not affect the original.
func TestTransportClone(t *testing.T) {
	tr := new(nethttp.Transport)
	v := reflect.ValueOf(tr).Elem()
	for i := range v.NumField() {
		f, typ := v.Field(i), v.Type().Field(i)
		if !typ.IsExported() {
			continue
		}
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int32, reflect.Int64:
			f.SetInt(int64(i + 1))
		case reflect.Func:
			f.Set(reflect.MakeFunc(typ.Type, func([]reflect.Value) []reflect.Value { panic("called") }))
		case reflect.Map:
			f.Set(reflect.MakeMap(typ.Type))
		case reflect.Pointer:
			f.Set(reflect.New(typ.Type.Elem()))
		case reflect.Interface:
			f.Set(reflect.ValueOf(noCarrier{}))
		default:
			t.Fatalf("a %v: %s", f.Kind(), typ.Name)
		}
	}
	tr.TLSNextProto["x"], tr.ProxyConnectHeader["A"] = nil, []string{"b"}
	tr.TLSClientConfig.ServerName, tr.HTTP2.MaxReadFrameSize = "name", 1<<20
	tr.Protocols.SetHTTP1(true)
	c := tr.Clone()
	cv := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		f, g, typ := v.Field(i), cv.Field(i), v.Type().Field(i)
		switch {
		case !typ.IsExported():
		case f.Kind() == reflect.Func:
			if g.IsNil() {
				t.Errorf("%s is nil", typ.Name)
			}
		case f.Kind() == reflect.Pointer || f.Kind() == reflect.Map:
			if f.UnsafePointer() == g.UnsafePointer() {
				t.Errorf("%s is shared", typ.Name)
			}
		case !reflect.DeepEqual(f.Interface(), g.Interface()):
			t.Errorf("%s is %v, not %v", typ.Name, g, f)
		}
	}
	c.TLSNextProto["y"] = nil
	c.ProxyConnectHeader["A"][0] = "c"
	if _, ok := tr.TLSNextProto["y"]; ok || tr.ProxyConnectHeader["A"][0] != "b" || !c.Protocols.HTTP1() ||
		c.TLSClientConfig.ServerName != "name" || c.HTTP2.MaxReadFrameSize != 1<<20 {
		t.Errorf("got %+v\nfrom %+v", c, tr)
	}
	if c = new(nethttp.Transport).Clone(); c.TLSNextProto != nil || c.TLSClientConfig != nil || c.ProxyConnectHeader != nil || c.HTTP2 != nil || c.Protocols != nil {
		t.Errorf("what was nil is %+v", c)
	}
}

// The fields of a Transport decide which protocols it offers to a TLS server.
func TestTransportOffers(t *testing.T) {
	protocols := func(set ...func(*http.Protocols, bool)) *http.Protocols {
		p := new(http.Protocols)
		for _, f := range set {
			f(p, true)
		}
		return p
	}
	one, two, clear := (*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2, (*http.Protocols).SetUnencryptedHTTP2
	none := map[string]func(string, *tls.Conn) http.RoundTripper{}
	dial := func(network, addr string) (net.Conn, error) { return net.Dial(network, addr) }
	for name, tc := range map[string]struct {
		tr   *nethttp.Transport
		want string
		env  string
	}{
		"nothing set":       {&nethttp.Transport{}, "h2 http/1.1", ""},
		"Dial":              {&nethttp.Transport{Dial: dial}, "", ""},
		"Dial, forced":      {&nethttp.Transport{Dial: dial, ForceAttemptHTTP2: true}, "h2 http/1.1", ""},
		"TLSClientConfig":   {&nethttp.Transport{TLSClientConfig: &tls.Config{}}, "", ""},
		"others, forced":    {&nethttp.Transport{TLSClientConfig: &tls.Config{NextProtos: []string{"x", "h2"}}, ForceAttemptHTTP2: true}, "h2 x http/1.1", ""},
		"own NextProtos":    {&nethttp.Transport{TLSClientConfig: &tls.Config{NextProtos: []string{"x"}}}, "x", ""},
		"TLSNextProto":      {&nethttp.Transport{TLSNextProto: none, ForceAttemptHTTP2: true}, "", ""},
		"Protocols":         {&nethttp.Transport{Protocols: protocols(one, two), TLSNextProto: none}, "h2 http/1.1", ""},
		"HTTP/1.1":          {&nethttp.Transport{Protocols: protocols(one, clear)}, "", ""},
		"HTTP/2":            {&nethttp.Transport{Protocols: protocols(two)}, "h2", ""},
		"GODEBUG":           {&nethttp.Transport{ForceAttemptHTTP2: true}, "", "a=b,http2client=0"},
		"GODEBUG, on again": {&nethttp.Transport{ForceAttemptHTTP2: true}, "h2 http/1.1", "http2client=0,http2client=1"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.env != "" {
				t.Setenv("GODEBUG", tc.env)
			}
			offered := make(chan string, 1)
			addr := speak(t, func(w *wire) {
				tls.Server(w.nc, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
					offered <- strings.Join(h.SupportedProtos, " ")
					return nil, errors.New("enough")
				}}).Handshake()
			})
			defer tc.tr.Close()
			if _, err := tc.tr.RoundTrip(getRequest(t, "https://"+addr)); err == nil {
				t.Error("there was a response")
			}
			if got := <-offered; got != tc.want {
				t.Errorf("offered %q, want %q", got, tc.want)
			}
		})
	}
}

// The settings and the window that a Transport sends over HTTP/2 follow the receive limits of its HTTP2Config.
func TestTransportGrants(t *testing.T) {
	const large = 1<<30 - 64<<10 // beyond the initial window of a connection
	for name, tc := range map[string]struct {
		cfg  *http.HTTP2Config
		said map[uint16]uint32 // settings
		conn uint32            // WINDOW_UPDATE
	}{
		"nothing set":             {nil, nil, large},
		"a small one for each":    {&http.HTTP2Config{MaxReceiveBufferPerStream: 20000}, map[uint16]uint32{4: 20000}, large},
		"a large one for each":    {&http.HTTP2Config{MaxReceiveBufferPerStream: 1 << 20}, map[uint16]uint32{4: 65535}, large},
		"a small one for all":     {&http.HTTP2Config{MaxReceiveBufferPerConnection: 64 << 10}, nil, 0},
		"too small a one for all": {&http.HTTP2Config{MaxReceiveBufferPerConnection: 64<<10 - 1}, nil, large},
		"large frames":            {&http.HTTP2Config{MaxReadFrameSize: 1 << 17}, map[uint16]uint32{5: 1 << 17}, large},
		"a small table":           {&http.HTTP2Config{MaxDecoderHeaderTableSize: 1000}, map[uint16]uint32{1: 1000}, large},
	} {
		t.Run(name, func(t *testing.T) {
			// The defaults of RFC 9113 §6.5.2, and a table of 4096 bytes.
			said, conn := map[uint16]uint32{1: 4096, 4: 65535, 5: 16384}, uint32(0)
			url := script(t, func(p *frames) {
				p.settings()
				for {
					h, payload, ok := p.frame()
					switch {
					case !ok:
						return
					case h.Type == xhttp2.FrameSettings:
						for ; len(payload) > 0; payload = payload[6:] {
							said[binary.BigEndian.Uint16(payload)] = binary.BigEndian.Uint32(payload[2:])
						}
					case h.Type == xhttp2.FrameWindowUpdate && h.StreamID == 0:
						conn += binary.BigEndian.Uint32(payload)
					case h.Type == xhttp2.FrameHeaders:
						p.head(h.StreamID, true)
					}
				}
			})
			tr := &nethttp.Transport{Protocols: h2c(), HTTP2: tc.cfg}
			roundTrip(t, tr, getRequest(t, url))
			tr.Close()
			for id, want := range tc.said {
				if said[id] != want {
					t.Errorf("setting %d is %d, want %d", id, said[id], want)
				}
			}
			if conn != tc.conn {
				t.Errorf("the window grows by %d, want %d", conn, tc.conn)
			}
		})
	}
}

// MaxReceiveBufferPerStream limits how far a response's window grows.
func TestTransportWindow(t *testing.T) {
	for _, tc := range []struct {
		cfg  *http.HTTP2Config
		most uint32
	}{{nil, 4 << 20}, {&http.HTTP2Config{}, 4 << 20}, {&http.HTTP2Config{MaxReceiveBufferPerStream: -1}, 4 << 20}, {&http.HTTP2Config{MaxReceiveBufferPerStream: 1}, 1}} {
		if got := nethttp.Grants(&nethttp.Transport{HTTP2: tc.cfg}).MaxWindow; got != tc.most {
			t.Errorf("%+v: got %d, want %d", tc.cfg, got, tc.most)
		}
	}
}

// MaxEncoderHeaderTableSize is the size of the table that the Transport encodes its fields with, 4096 bytes at most.
func TestTransportTable(t *testing.T) {
	for _, tc := range []struct {
		cfg  *http.HTTP2Config
		want uint32 // 4096 is the default
	}{{nil, 4096}, {&http.HTTP2Config{}, 4096}, {&http.HTTP2Config{MaxEncoderHeaderTableSize: -1}, 4096}, {&http.HTTP2Config{MaxEncoderHeaderTableSize: 100}, 100}} {
		sizes := make(chan uint32, 1)
		url := script(t, func(p *frames) {
			p.settings()
			h, block := p.want(xhttp2.FrameHeaders)
			said := uint32(4096)
			if len(block) > 1 && block[0]&0xe0 == 0x20 { // RFC 7541 §6.3
				if said = uint32(block[0] & 0x1f); said == 0x1f {
					said += uint32(block[1]) // less than 128
				}
			}
			sizes <- said
			p.head(h.StreamID, true)
			p.drain()
		})
		tr := &nethttp.Transport{Protocols: h2c(), HTTP2: tc.cfg}
		roundTrip(t, tr, getRequest(t, url))
		tr.Close()
		if got := <-sizes; got != tc.want {
			t.Errorf("%+v: the table has %d bytes, want %d", tc.cfg, got, tc.want)
		}
	}
}

// triedBy is a RoundTripper that names itself in its response.
type triedBy struct {
	name  string
	err   error
	calls int
}

func (b *triedBy) RoundTrip(r *http.Request) (*http.Response, error) {
	b.calls++
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	if b.err != nil {
		return nil, b.err
	}
	return &http.Response{StatusCode: 200, Status: b.name, Body: http.NoBody, Request: r}, nil
}

// A RoundTripper registered for a scheme gets its requests, unless it returns http.ErrSkipAltProtocol.
func TestTransportRegister(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer site.Close()
	tr := new(nethttp.Transport)
	defer tr.Close()
	mine, skips := &triedBy{name: "mine"}, &triedBy{err: http.ErrSkipAltProtocol}
	tr.RegisterProtocol("mine", mine)
	tr.RegisterProtocol("http", skips)
	if resp, _ := roundTrip(t, tr, getRequest(t, "mine:anything")); resp.Status != "mine" {
		t.Errorf("got %v", resp.Status)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "POST", site.URL, strings.NewReader("body"))
	if _, body := roundTrip(t, tr, req); body != "body" || skips.calls != 1 {
		t.Errorf("got %q, %d calls", body, skips.calls)
	}
	defer func() {
		if p := recover(); p != "protocol mine already registered" {
			t.Errorf("got %v", p)
		}
	}()
	tr.RegisterProtocol("mine", mine)
}

// A TLSNextProto function takes over a connection with its protocol, and its RoundTripper gets the following requests.
func TestTransportNextProto(t *testing.T) {
	site := httptest.NewUnstartedServer(http.NotFoundHandler())
	site.TLS = &tls.Config{NextProtos: []string{"x"}}
	site.StartTLS()
	defer site.Close()
	mine := &triedBy{name: "mine"}
	taken := 0
	tr := &nethttp.Transport{
		TLSClientConfig: site.Client().Transport.(*http.Transport).TLSClientConfig.Clone(),
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{"x": func(authority string, c *tls.Conn) http.RoundTripper {
			if taken++; authority != site.Listener.Addr().String() {
				t.Errorf("got %q", authority)
			}
			c.Close()
			return roundTripper(mine.RoundTrip) // a value that cannot be compared
		}},
	}
	defer tr.Close()
	tr.TLSClientConfig.NextProtos = []string{"x"}
	for want := range 3 {
		if resp, _ := roundTrip(t, tr, getRequest(t, site.URL)); resp.Status != "mine" || mine.calls != want+1 || taken != 1 {
			t.Errorf("got %v, %d calls, %d connections", resp.Status, mine.calls, taken)
		}
	}
	mine.err = errors.New("gone")
	if _, err := tr.RoundTrip(getRequest(t, site.URL)); err != mine.err {
		t.Errorf("got %v", err)
	}
	mine.err = nil
	roundTrip(t, tr, getRequest(t, site.URL))
	tr.CloseIdleConnections()
	if roundTrip(t, tr, getRequest(t, site.URL)); taken != 3 {
		t.Errorf("%d connections were taken over", taken)
	}
}

// onlyOnce is a body that reports a Read after its Close.
type onlyOnce struct {
	io.Reader
	closed atomic.Int32
}

// Read implements io.Reader.
func (b *onlyOnce) Read(p []byte) (int, error) {
	if b.closed.Load() > 0 {
		return 0, errors.New("read behind Close")
	}
	return b.Reader.Read(p)
}

// Close implements io.Closer.
func (b *onlyOnce) Close() error {
	b.closed.Add(1)
	return nil
}

// roundTripper is a function that is an http.RoundTripper.
type roundTripper func(r *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A RoundTripper of TLSNextProto gets the body of the first request whole and open, as with net/http.
func TestTransportNextProtoBody(t *testing.T) {
	site := httptest.NewUnstartedServer(http.NotFoundHandler())
	site.TLS = &tls.Config{NextProtos: []string{"x"}}
	site.StartTLS()
	defer site.Close()
	for name, tc := range map[string]struct {
		method string
		body   func() io.ReadCloser
		length int64
		want   string
	}{
		"in memory": {"POST", func() io.ReadCloser { return io.NopCloser(strings.NewReader("body")) }, 4, "body"},
		"length":    {"POST", func() io.ReadCloser { return &onlyOnce{Reader: strings.NewReader("body")} }, 4, "body"},
		"chunked":   {"POST", func() io.ReadCloser { return &onlyOnce{Reader: strings.NewReader("body")} }, -1, "body"},
		"probed":    {"DELETE", func() io.ReadCloser { return &onlyOnce{Reader: strings.NewReader("body")} }, -1, "body"},
		"empty":     {"DELETE", func() io.ReadCloser { return &onlyOnce{Reader: strings.NewReader("")} }, -1, ""},
		"none":      {"POST", func() io.ReadCloser { return nil }, 0, ""},
	} {
		for _, ours := range []bool{false, true} {
			got, calls := "", 0
			next := map[string]func(string, *tls.Conn) http.RoundTripper{"x": func(_ string, c *tls.Conn) http.RoundTripper {
				c.Close()
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if calls++; r.Body != nil {
						b, err := io.ReadAll(r.Body)
						if got = string(b); err != nil {
							t.Errorf("%s, ours %v: %v", name, ours, err)
						}
						r.Body.Close()
					}
					return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
				})
			}}
			cfg := site.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
			cfg.NextProtos = []string{"x"}
			var tr http.RoundTripper = &http.Transport{TLSClientConfig: cfg, TLSNextProto: next}
			if ours {
				own := &nethttp.Transport{TLSClientConfig: cfg, TLSNextProto: next}
				defer own.Close()
				tr = own
			}
			body := tc.body()
			req := getRequest(t, site.URL)
			req.Method, req.Body, req.ContentLength = tc.method, body, tc.length
			if _, err := tr.RoundTrip(req); err != nil || got != tc.want || calls != 1 {
				t.Errorf("%s, ours %v: got %q, %v in %d calls", name, ours, got, err, calls)
			}
			if b, ok := body.(*onlyOnce); ok && b.closed.Load() != 1 {
				t.Errorf("%s, ours %v: closed %d times", name, ours, b.closed.Load())
			}
		}
	}
}

// With Expect: 100-continue the body is sent after 100 or ExpectContinueTimeout, and not after a final response that
// closes the connection.
func TestTransportExpect1(t *testing.T) {
	const head = "PUT / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\nAccept-Encoding: gzip\r\n\r\n"
	for name, tc := range map[string]struct {
		wait time.Duration
		say  func(w *wire)
		want int
	}{
		"requested":         {time.Hour, func(w *wire) { w.send("HTTP/1.1 100 Continue\r\n\r\n"); w.want("body"); w.send(ok2) }, 200},
		"not requested":     {time.Millisecond, func(w *wire) { w.want("body"); w.send(ok2) }, 200},
		"at once":           {0, func(w *wire) { w.want("body"); w.send(ok2) }, 200},
		"refused, and goes": {time.Hour, func(w *wire) { w.send("HTTP/1.1 417 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); w.end() }, 417},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				said := make(chan struct{})
				addr := speak(t, func(w *wire) {
					defer close(said)
					w.want(strings.ReplaceAll(head, "HOST", w.nc.LocalAddr().String()))
					tc.say(w)
				})
				tr := fresh()
				tr.ExpectContinueTimeout = tc.wait
				req, _ := http.NewRequestWithContext(t.Context(), "PUT", "http://"+addr, strings.NewReader("body"))
				req.Header.Set("Expect", "100-continue")
				if resp, _ := roundTrip(t, tr, req); resp.StatusCode != tc.want {
					t.Errorf("got %v", resp.Status)
				}
				<-said
			})
		})
	}
}

// After a final response to Expect: 100-continue that keeps the connection, the body is still sent. The test runs in a
// bubble, because such a body may follow its response only for a short time.
func TestTransportRefusedAndKept(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.ExpectContinueTimeout = time.Hour
		b.tr.Dial = b.dialTo(func(w *wire) {
			if w.head(); w.r.Buffered() > 0 {
				t.Error("the body does not wait")
			}
			w.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
			w.want("body")
			if !strings.HasPrefix(w.head(), "GET ") {
				t.Error("the connection is not used again")
			}
			w.send(ok2)
			w.head()
		})
		req, _ := http.NewRequestWithContext(t.Context(), "PUT", "http://a", strings.NewReader("body"))
		req.Header.Set("Expect", "100-continue")
		if resp, _ := roundTrip(t, b.tr, req); resp.StatusCode != 417 {
			t.Errorf("got %v", resp.Status)
		}
		synctest.Wait() // the body has been sent
		if err := b.get("a", "/"); err != nil {
			t.Error(err)
		}
		b.is("the connection is kept", 1, 1)
	})
}

// closeCount counts how often a body is closed.
type closeCount struct {
	io.Reader
	n atomic.Int32
}

func (c *closeCount) Close() error { c.n.Add(1); return nil }

// The body of a request is closed exactly once, whatever happens to the request.
func TestTransportClosesBody(t *testing.T) {
	addr := speak(t, func(w *wire) {
		if head := w.head(); !strings.Contains(head, "/cut") {
			n := 4
			if strings.Contains(head, "Content-Length: 5") {
				n = 5
			}
			if _, err := io.ReadFull(w.r, make([]byte, n)); err == nil {
				w.send(ok2)
			}
		}
	})
	mine := errors.New("mine")
	for name, edit := range map[string]func(tr *nethttp.Transport, r *http.Request){
		"sent":        func(*nethttp.Transport, *http.Request) {},
		"cut":         func(_ *nethttp.Transport, r *http.Request) { r.URL.Path = "/cut" },
		"no URL":      func(_ *nethttp.Transport, r *http.Request) { r.URL = nil },
		"no header":   func(_ *nethttp.Transport, r *http.Request) { r.Header = nil },
		"bad field":   func(_ *nethttp.Transport, r *http.Request) { r.Header["a b"] = nil },
		"bad method":  func(_ *nethttp.Transport, r *http.Request) { r.Method = "a b" },
		"bad scheme":  func(_ *nethttp.Transport, r *http.Request) { r.URL.Scheme = "ftp" },
		"no host":     func(_ *nethttp.Transport, r *http.Request) { r.URL.Host = "" },
		"bad target":  func(_ *nethttp.Transport, r *http.Request) { r.URL.Opaque = "/\n" },
		"bad trailer": func(_ *nethttp.Transport, r *http.Request) { r.Trailer = http.Header{"Trailer": nil} },
		"no dial": func(tr *nethttp.Transport, _ *http.Request) {
			tr.Dial = func(string, string) (net.Conn, error) { return nil, mine }
		},
		"too long":  func(_ *nethttp.Transport, r *http.Request) { r.ContentLength = 3 },
		"too short": func(_ *nethttp.Transport, r *http.Request) { r.ContentLength = 5 },
	} {
		tr := new(nethttp.Transport)
		body := &closeCount{Reader: strings.NewReader("body")}
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, body)
		req.ContentLength = 4
		edit(tr, req)
		resp, err := tr.RoundTrip(req)
		if err == nil {
			io.Copy(io.Discard, resp.Body)
		}
		wiretest.Eventually(t, name+": the body to be closed", func() bool { return body.n.Load() > 0 })
		tr.Close()
		if n := body.n.Load(); (err == nil) != (name == "sent") || n != 1 {
			t.Errorf("%s: got %v, closed %d times", name, err, n)
		}
	}
}
