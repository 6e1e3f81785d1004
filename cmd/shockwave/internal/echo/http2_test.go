package echo

import (
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// overEach runs f over each version of HTTP that r serves.
func overEach(r *clitest.Running, f func(proto string)) {
	one := r.Client.Transport
	defer func() { r.Client.Transport = one }()
	if r.Site.Listener != nil {
		f("HTTP/1.1")
		r.OverHTTP2()
		f("HTTP/2.0")
	}
	if r.Site.UDP != nil {
		r.OverHTTP3()
		f("HTTP/3.0")
	}
}

// The report of a request is the same over HTTP/2 and HTTP/3 as over HTTP/1.1.
func TestEchoContractOverStreams(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
	contract := func(t *testing.T, r *clitest.Running) {
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
				resp, body := ask(r, t, tc.method, tc.target, tc.probes, tc.body, tc.unsized)
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
			overEach(r, ask)
		}
	}
	onBothEchoes(t, contract)
	for _, native := range []bool{false, true} {
		contract(t, clitest.Serve(t, Options{Native: native, Options: clitest.Alone}))
	}
}

// ask sends a request with the host h:81 and returns the answer and its whole body.
func ask(r *clitest.Running, t *testing.T, method, target string, probes []string, body string, unsized bool) (*http.Response, string) {
	t.Helper()
	var in io.Reader
	switch {
	case unsized:
		in = io.MultiReader(strings.NewReader(body))
	case body != "":
		in = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, r.URL, in)
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
	resp, err := r.Client.Do(req)
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

// A body beyond the limit is refused over HTTP/2, with and without a length.
func TestEchoBoundsBodiesOverHTTP2(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", int(maxBody)+1)
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		r.OverHTTP2()
		var conns []net.Addr
		r.Client.Transport = tracing{r.Client.Transport, func(i httptrace.GotConnInfo) { conns = append(conns, i.Conn.LocalAddr()) }}
		for _, unsized := range []bool{false, true, false, true} {
			resp, _ := ask(r, t, "POST", "/", nil, large, unsized)
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

// A CONNECT for anything but WebSocket is refused, as over HTTP/1.1.
func TestConnectOverHTTP2(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		r.OverHTTP2()
		r.Do("GET", "/plaintext")
		req, err := http.NewRequest("CONNECT", r.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "h:443"
		resp, err := r.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") == "" {
			t.Errorf("CONNECT: %s, Allow %q", resp.Status, resp.Header.Get("Allow"))
		}
	})
}
