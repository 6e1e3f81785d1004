package main

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"
)

// overHTTP2 has r's client speak HTTP/2 and nothing else, with or without TLS.
func (r *running) overHTTP2() {
	p := new(http.Protocols)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: p, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	r.t.Cleanup(transport.CloseIdleConnections)
	r.client.Transport = transport
}

// overEach runs f over each version of HTTP that r serves.
func (r *running) overEach(f func(proto string)) {
	one := r.client.Transport
	defer func() { r.client.Transport = one }()
	if r.site.l != nil {
		f("HTTP/1.1")
		r.overHTTP2()
		f("HTTP/2.0")
	}
	if r.site.udp != nil {
		r.overHTTP3()
		f("HTTP/3.0")
	}
}

// TestEchoContractOverStreams: what the echo understands of a request is the same whichever version brought it. What is
// HTTP/1.1's alone (absolute-form, chunks) is not asked for.
func TestEchoContractOverStreams(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
	contract := func(t *testing.T, r *running) {
		for _, tc := range []struct {
			method, target string
			probes         []string
			body           string
			unsized        bool // no Content-Length is sent
			status         int
			want           string // "": the report; "*": whatever it is
		}{
			{"GET", "/", nil, "", false, 200, ""},
			{"GET", "/a%2Fb/../c;d?q=%20+&&x", nil, "", false, 200, ""},
			{"GET", "//x/chunked", nil, "", false, 200, ""},
			{"GET", "/?", nil, "", false, 200, ""},
			{"BREW", "/pot", nil, "", false, 200, ""},
			{"GET", "/", []string{"b", "a", "c, d"}, "", false, 200, ""},
			{"GET", "/", []string{"", "a", ""}, "", false, 200, ""},
			{"POST", "/", nil, "hello", false, 200, ""},
			{"PUT", "/c", nil, "hello", true, 200, ""},
			{"POST", "/", nil, big, false, 200, ""},
			{"POST", "/", nil, big, true, 200, ""},
			{"POST", "/chunked?x", nil, "hi", false, 200, ""},
			{"GET", "/%63hunked", nil, "", false, 200, ""},
			{"GET", "/status/204", nil, "", false, 204, "*"},
			{"GET", "/status/304", nil, "", false, 304, "*"},
			{"GET", "/plaintext", nil, "", false, 200, "Hello, World!"},
			{"POST", "/noread", nil, "body", false, 200, "noread"},
			{"GET", "/big?n=100000", nil, "", false, 200, strings.Repeat("x", 100000)},
			{"GET", "/big?n=-1", nil, "", false, 400, "*"},
			{"GET", "/sleep?ms=1", nil, "", false, 200, "slept\n"},
		} {
			want := tc.want
			if want == "" {
				want = report(tc.method, tc.target, "h:81", strings.Join(tc.probes, ", "), tc.body)
			}
			ask := func(name string) {
				resp, body := r.ask(t, tc.method, tc.target, tc.probes, tc.body, tc.unsized)
				if resp.StatusCode != tc.status || tc.want != "*" && body != want {
					t.Errorf("%s %s over %s: got %d %.300q\nwant %d %.300q", tc.method, tc.target, name, resp.StatusCode, body, tc.status, want)
				}
				if resp.Proto != name {
					t.Errorf("%s %s came over %s, not %s", tc.method, tc.target, resp.Proto, name)
				}
				if streamed := strings.HasPrefix(tc.target, "/chunked"); tc.status == 200 && streamed != (resp.ContentLength < 0) {
					t.Errorf("%s %s over %s: Content-Length %d", tc.method, tc.target, name, resp.ContentLength)
				}
			}
			r.overEach(ask)
		}
	}
	onBothEchoes(t, contract)
	for _, native := range []bool{false, true} {
		contract(t, start(t, echoOptions{native: native, siteOptions: alone}))
	}
}

// ask sends a request with the host h:81 and returns the answer and its whole body.
func (r *running) ask(t *testing.T, method, target string, probes []string, body string, unsized bool) (*http.Response, string) {
	t.Helper()
	var in io.Reader
	switch {
	case unsized:
		in = io.MultiReader(strings.NewReader(body))
	case body != "":
		in = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, r.url, in)
	if err != nil {
		t.Fatal(err)
	}
	path, query, found := strings.Cut(target, "?")
	req.URL.Opaque, req.URL.RawQuery, req.URL.ForceQuery = path, query, found && query == ""
	if strings.HasPrefix(path, "//") {
		req.URL.Opaque, req.URL.Path = "", path
	}
	req.Host = "h:81"
	req.Header["X-Probe"] = probes
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: body: %v", method, target, err)
	}
	return resp, string(out)
}

// TestEchoBoundsBodiesOverHTTP2: a body beyond the limit is refused, whatever it says about itself.
func TestEchoBoundsBodiesOverHTTP2(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", int(maxBody)+1)
	onBothEchoes(t, func(t *testing.T, r *running) {
		r.overHTTP2()
		var conns []net.Addr
		r.client.Transport = tracing{r.client.Transport, func(i httptrace.GotConnInfo) { conns = append(conns, i.Conn.LocalAddr()) }}
		for _, unsized := range []bool{false, true, false, true} {
			resp, _ := r.ask(t, "POST", "/", nil, large, unsized)
			if resp.StatusCode != 413 {
				t.Errorf("unsized %v: %s, want 413", unsized, resp.Status)
			}
		}
		if len(conns) == 0 || slices.ContainsFunc(conns, func(a net.Addr) bool { return a.String() != conns[0].String() }) {
			t.Errorf("the client has connected anew: %v", conns)
		}
	})
}

// tracing tells got which connections requests are given.
type tracing struct {
	http.RoundTripper
	got func(httptrace.GotConnInfo)
}

// RoundTrip implements http.RoundTripper.
func (t tracing) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.RoundTripper.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: t.got})))
}

// TestServeOverHTTP2: files, the page and what is logged say which protocol it was.
func TestServeOverHTTP2(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := start(t, serveOptions{siteOptions: siteOptions{tls: secure}, logFile: "-"})
		r.overHTTP2()
		resp, body := r.do("GET", "/", "X-Odd: <b>")
		if resp.ProtoMajor != 2 || resp.StatusCode != 200 {
			t.Fatalf("GET /: %s, %s", resp.Proto, resp.Status)
		}
		for _, want := range []string{"HTTP/2", "GET / HTTP/2\nhost: " + r.addr, "x-odd: &lt;b&gt;", "-h2 -c 4 -m 100 http", "</span> over HTTP/2, "} {
			wantText(t, "the page", body, want)
		}
		if _, body := r.do("GET", "/connection"); !strings.Contains(body, `"protocol": "HTTP/2"`) {
			t.Errorf("the connection is %s", body)
		}
		for end := time.Now().Add(patience); !strings.Contains(r.out.String(), `"GET / HTTP/2.0" 200`); {
			if time.Now().After(end) {
				t.Fatalf("the log says %q", r.out.String())
			}
			time.Sleep(time.Millisecond)
		}
		r = start(t, serveOptions{siteOptions: siteOptions{tls: secure}, dir: "."})
		r.overHTTP2()
		resp, _ = r.do("GET", "/main.go", "Range: bytes=0-9")
		if resp.ProtoMajor != 2 || resp.StatusCode != 206 || resp.ContentLength != 10 {
			t.Errorf("a range: %s, %s, %d bytes", resp.Proto, resp.Status, resp.ContentLength)
		}
	}
}
