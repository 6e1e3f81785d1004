package nethttp_test

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func TestTransportGzip(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			io.WriteString(w, "plain")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		zw := gzip.NewWriter(w)
		io.WriteString(zw, strings.Repeat("packed ", 20_000))
		zw.Close()
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		resp, body := roundTrip(t, tr, getRequest(t, url))
		if body != strings.Repeat("packed ", 20_000) || !resp.Uncompressed || resp.ContentLength != -1 || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("got %d bytes, %+v", len(body), resp)
		}
		req := getRequest(t, url)
		req.Header.Set("Accept-Encoding", "identity")
		if _, body := roundTrip(t, tr, req); body != "plain" {
			t.Errorf("got %q", body)
		}
	})
}

func TestTransportExpect(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		io.Copy(w, r.Body)
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		tr.ExpectContinueTimeout = 10 * time.Second
		continued := 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { continued++ }})
		ask := func(path string) (*http.Response, string) {
			req, _ := http.NewRequestWithContext(ctx, "POST", url+path, strings.NewReader("please"))
			req.Header.Set("Expect", "100-continue")
			return roundTrip(t, tr, req)
		}
		if _, body := ask("/yes"); body != "please" || continued != 1 {
			t.Errorf("got %q, %d", body, continued)
		}
		if resp, _ := ask("/no"); resp.StatusCode != 417 || continued != 1 {
			t.Errorf("got %v, %d", resp.Status, continued)
		}
	})
}

func TestTransportTrace(t *testing.T) {
	var mu sync.Mutex
	var events []string
	note := func(s string) { mu.Lock(); defer mu.Unlock(); events = append(events, s) }
	trace := &httptrace.ClientTrace{
		GetConn:           func(string) { note("get") },
		GotConn:           func(i httptrace.GotConnInfo) { note(map[bool]string{false: "got new", true: "got used"}[i.Reused]) },
		ConnectStart:      func(string, string) { note("connect") },
		ConnectDone:       func(string, string, error) { note("connected") },
		TLSHandshakeStart: func() { note("shake") },
		TLSHandshakeDone:  func(s tls.ConnectionState, err error) { note("shook " + s.NegotiatedProtocol) },
		WroteHeaderField: func(key string, values []string) {
			if key != ":authority" { // which differs
				note(key + "=" + strings.Join(values, ","))
			}
		},
		WroteHeaders:         func() { note("headers") },
		WroteRequest:         func(i httptrace.WroteRequestInfo) { note("request") },
		GotFirstResponseByte: func() { note("first") },
		Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			note("1xx " + h.Get("Link"))
			return nil
		},
	}
	addr, tr := serveStd(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "<x>")
		w.WriteHeader(103)
		w.WriteHeader(200)
	}, true)
	for _, want := range []string{
		"get connect connected shake shook h2 got new :method=GET :path=/ :scheme=https accept-encoding=gzip user-agent=Go-http-client/2.0 headers request first 1xx <x>",
		"get got used :method=GET :path=/ :scheme=https accept-encoding=gzip user-agent=Go-http-client/2.0 headers request first 1xx <x>",
	} {
		events = nil
		roundTrip(t, tr, getRequest(t, addr).WithContext(httptrace.WithClientTrace(t.Context(), trace)))
		if got := strings.Join(events, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A server that speaks only HTTP/1.1 is refused if Protocols has only HTTP/2.
func TestTransportHTTP1(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	only := new(http.Protocols)
	only.SetHTTP2(true)
	for _, p := range []*http.Protocols{only, nil} {
		tr := &nethttp.Transport{TLSClientConfig: s.Client().Transport.(*http.Transport).TLSClientConfig, Protocols: p}
		defer tr.Close()
		resp, err := tr.RoundTrip(getRequest(t, s.URL))
		switch {
		case p != nil:
			if err == nil {
				t.Errorf("got %v", resp)
			}
		case err != nil || resp.StatusCode != 404 || resp.Proto != "HTTP/1.1" || resp.TLS == nil:
			t.Errorf("got %v, %v", resp, err)
		}
	}
}

// closes is a body that records whether it was closed.
type closes struct {
	io.Reader
	closed bool
}

func (c *closes) Close() error { c.closed = true; return nil }

// A request that cannot be sent is refused before anything is sent, and its body is closed.
func TestTransportChecks(t *testing.T) {
	tr := &nethttp.Transport{Protocols: h2c()}
	defer tr.Close()
	for name, change := range map[string]func(r *http.Request){
		"no URL":         func(r *http.Request) { r.URL = nil },
		"no header":      func(r *http.Request) { r.Header = nil },
		"no host":        func(r *http.Request) { r.URL.Host = "" },
		"scheme":         func(r *http.Request) { r.URL.Scheme = "ftp" },
		"method":         func(r *http.Request) { r.Method = "A B" },
		"field name":     func(r *http.Request) { r.Header["A b"] = []string{"c"} },
		"field value":    func(r *http.Request) { r.Header["A"] = []string{"b\nc"} },
		"trailer":        func(r *http.Request) { r.Trailer = http.Header{"A": {"b\x00"}} },
		"path":           func(r *http.Request) { r.URL.Opaque = "no slash" },
		"query":          func(r *http.Request) { r.URL.RawQuery = "a b\r\nc" },
		"host":           func(r *http.Request) { r.Host = "a b" },
		"upgrade":        func(r *http.Request) { r.Header.Set("Upgrade", "websocket") },
		"transfer codes": func(r *http.Request) { r.Header.Set("Transfer-Encoding", "gzip") },
		"connection":     func(r *http.Request) { r.Header.Set("Connection", "x-mine") },
		"no body":        func(r *http.Request) { r.Body.Close(); r.Body, r.ContentLength = http.NoBody, 1 },
	} {
		body := &closes{Reader: strings.NewReader("x")}
		req := post(t, "http://127.0.0.1:1/", body)
		change(req)
		if _, err := tr.RoundTrip(req); err == nil || strings.Contains(err.Error(), "refused") || !body.closed {
			t.Errorf("%s: got %v, closed %v", name, err, body.closed)
		}
	}
}

// Of several faults in a request, the error names the one that http.Transport names.
func TestTransportFirstFault(t *testing.T) {
	tr := &nethttp.Transport{Protocols: h2c()}
	defer tr.Close()
	empty := &url.URL{Scheme: "http"}
	for _, c := range []struct {
		req  *http.Request
		want string
	}{
		{&http.Request{}, "http: nil Request.URL"},
		{&http.Request{URL: &url.URL{Scheme: "faux"}}, "http: nil Request.Header"},
		{&http.Request{URL: &url.URL{Scheme: "faux"}, Header: http.Header{}, Method: " "}, `unsupported protocol scheme "faux"`},
		{&http.Request{URL: empty, Header: http.Header{"a b": {"c"}}, Method: " "}, `net/http: invalid header field name "a b"`},
		{&http.Request{URL: empty, Header: http.Header{}, Method: " "}, `net/http: invalid method " "`},
		{&http.Request{URL: empty, Header: http.Header{}}, "http: no Host in request URL"},
	} {
		_, ours := tr.RoundTrip(c.req)
		_, std := new(http.Transport).RoundTrip(c.req)
		if ours == nil || std == nil || ours.Error() != c.want || std.Error() != c.want {
			t.Errorf("got %v and %v, want %s", ours, std, c.want)
		}
	}
}

// Different spellings of a host share one connection, and traces get its ASCII form.
func TestTransportPunycode(t *testing.T) {
	addr, tr := serveStd(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RemoteAddr) }, false)
	server, err := url.Parse(addr)
	if err != nil {
		t.Fatal(err)
	}
	tr.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Host)
	}
	var first string
	for _, host := range []string{"гофер.го", "ГОФЕР.ГО", "xn--c1ae0ajs.xn--c1aw"} {
		trace := &httptrace.ClientTrace{GetConn: func(hostPort string) {
			if want := "xn--c1ae0ajs.xn--c1aw:" + server.Port(); hostPort != want {
				t.Errorf("%s: got %s, want %s", host, hostPort, want)
			}
		}}
		req := getRequest(t, "http://"+host+":"+server.Port())
		_, body := roundTrip(t, tr, req.WithContext(httptrace.WithClientTrace(t.Context(), trace)))
		if first == "" {
			first = body
		}
		if body != first {
			t.Errorf("%s: a connection of its own", host)
		}
	}
}

// The fields of a request reach a handler as net/http's Transport sends them.
func TestTransportFields(t *testing.T) {
	addr, tr := serveStd(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"A", "Te", "Cookie", "User-Agent", "Connection", "Keep-Alive", "Content-Length", "Accept-Encoding"} {
			w.Header()["X-"+name] = r.Header[name]
		}
		w.Header().Set("X-Host", r.Host)
	}, false)
	req := post(t, addr, nil)
	req.Host = "example.com"
	req.Header = http.Header{
		"A": {"1", " 2 "}, "Te": {"gzip, trailers"}, "Cookie": {"a=1; b=2", "c=3"}, "User-Agent": {""},
		"Connection": {"keep-alive"}, "Keep-Alive": {"5"}, "Content-Length": {"77"},
	}
	resp, _ := roundTrip(t, tr, req)
	for name, want := range map[string][]string{
		"X-A": {"1", "2"}, "X-Te": {"trailers"}, "X-Cookie": {"a=1; b=2; c=3"}, "X-User-Agent": nil, "X-Connection": nil,
		"X-Keep-Alive": nil, "X-Content-Length": {"0"}, "X-Accept-Encoding": {"gzip"}, "X-Host": {"example.com"},
	} {
		if got := resp.Header[name]; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// http.Client's redirects and timeouts work with a Transport.
func TestTransportClient(t *testing.T) {
	addr, tr := serveStd(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/slow":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			io.Copy(w, r.Body)
		}
	}, false)
	c := &http.Client{Transport: tr, Timeout: 10 * time.Second}
	resp, err := c.Post(addr, "text/plain", strings.NewReader("moved"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(resp.Body); string(b) != "moved" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	resp.Body.Close()
	c.Timeout = 50 * time.Millisecond
	if resp, err = c.Get(addr + "/slow"); err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	var te interface{ Timeout() bool }
	if !errors.As(err, &te) || !te.Timeout() {
		t.Errorf("got %v", err)
	}
}
