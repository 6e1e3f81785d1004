package nethttp_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// A Read after Close of a response body fails, compressed or not, although bytes are left.
func TestTransportReadAfterClose(t *testing.T) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	io.WriteString(zw, "hello")
	zw.Close()
	addr := speak(t, func(w *wire) {
		if head := w.head(); strings.Contains(head, "gzip") {
			w.send("HTTP/1.1 200 OK\r\nContent-Encoding: GZip\r\n\r\n" + packed.String())
			return
		}
		w.send(ok2)
	})
	for _, plain := range []bool{false, true} {
		tr := &nethttp.Transport{DisableCompression: plain}
		resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		if n, err := resp.Body.Read(make([]byte, 9)); n > 0 || err == nil || err.Error() != "http: read on closed response body" {
			t.Errorf("got %d, %v", n, err)
		}
		tr.Close()
	}
}

// A trace is told once of each name that is looked up.
func TestTransportTracesNames(t *testing.T) {
	var asked []string
	trace := &httptrace.ClientTrace{
		DNSStart: func(i httptrace.DNSStartInfo) { asked = append(asked, i.Host) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			asked = append(asked, map[bool]string{false: "found", true: "failed"}[i.Err != nil])
		},
	}
	addr := speak(t, func(w *wire) { w.head(); w.send(ok2) })
	_, port, _ := net.SplitHostPort(addr)
	tr := new(nethttp.Transport)
	defer tr.Close()
	req := getRequest(t, "http://localhost:"+port)
	roundTrip(t, tr, req.WithContext(httptrace.WithClientTrace(t.Context(), trace)))
	if got := strings.Join(asked, " "); got != "localhost found" {
		t.Errorf("traced %q", got)
	}
	roundTrip(t, tr, getRequest(t, "http://localhost:"+port).WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{})))
	other := new(nethttp.Transport)
	defer other.Close()
	roundTrip(t, other, getRequest(t, "http://localhost:"+port)) // this is not reported
}

// If a RoundTripper for the scheme has skipped a request, an error of GetBody is returned.
func TestTransportSkippedBody(t *testing.T) {
	gone := errors.New("gone")
	tr := new(nethttp.Transport)
	tr.RegisterProtocol("http", &triedBy{err: http.ErrSkipAltProtocol})
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:1", strings.NewReader("body"))
	req.GetBody = func() (io.ReadCloser, error) { return nil, gone }
	if _, err := tr.RoundTrip(req); err != gone {
		t.Errorf("got %v", err)
	}
}

// A CONNECT over TLS may have a target of its own, and other requests only one of their URL's host.
func TestTransportTargets(t *testing.T) {
	tr := &nethttp.Transport{Dial: func(string, string) (net.Conn, error) { return nil, errors.New("dialled") }, ForceAttemptHTTP2: true}
	for _, tc := range []struct {
		method string
		url    url.URL
		want   string
	}{
		{"CONNECT", url.URL{Scheme: "https", Host: "a", Opaque: "b:1"}, "dialled"},
		{"GET", url.URL{Scheme: "https", Host: "a", Opaque: "b:1"}, `nethttp: invalid request target "b:1"`},
		{"GET", url.URL{Scheme: "https", Host: "a", Path: "*"}, "dialled"},
		{"GET", url.URL{Scheme: "https", Host: "a", Opaque: "//a/x", RawQuery: "y"}, "dialled"},
		{"GET", url.URL{Scheme: "https", Host: "a", Opaque: "//b/x"}, `nethttp: invalid request target "https://b/x"`},
		{"GET", url.URL{Scheme: "https", Host: "a", Opaque: "//a"}, `nethttp: invalid request target "https://a"`},
	} {
		req := &http.Request{Method: tc.method, URL: &tc.url, Header: http.Header{}}
		if _, err := tr.RoundTrip(req.WithContext(t.Context())); err == nil || err.Error() != tc.want {
			t.Errorf("%s %v: got %v, want %s", tc.method, &tc.url, err, tc.want)
		}
	}
}

// Many goroutines can reserve, release and send on one connection at once.
func TestClientConnShared(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		var mu sync.Mutex
		told := 0
		o.SetStateHook(func(*nethttp.ClientConn) { mu.Lock(); told++; mu.Unlock() })
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				switch err := o.Reserve(); {
				case err != nil && i%3 == 0:
					return
				case err == nil && i%3 == 1:
					o.Release()
					return
				}
				resp, err := o.ask("now")
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			})
		}
		all.Wait()
		o.hooks = 0
		o.is(most, 0, false, false)
		mu.Lock()
		defer mu.Unlock()
		if told == 0 {
			t.Error("the hook was not called")
		}
	})
}

// Length and codings of a response without a body are reported as http.Transport does.
func TestTransportWithoutBody(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		for _, status := range []string{"200", "204", "304"} {
			if method == "GET" && status == "200" {
				continue
			}
			for _, fields := range []string{"", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"} {
				for _, version := range []string{"1.0", "1.1"} {
					addr := speak(t, func(w *wire) {
						for w.head() != "" {
							w.send("HTTP/" + version + " " + status + " X\r\n" + fields + "\r\n")
						}
					})
					var told [2]string
					for i, tr := range []http.RoundTripper{new(nethttp.Transport), new(http.Transport)} {
						req, _ := http.NewRequestWithContext(t.Context(), method, "http://"+addr, nil)
						resp, err := tr.RoundTrip(req)
						if err != nil {
							t.Fatal(err)
						}
						body, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						told[i] = fmt.Sprint(resp.TransferEncoding, resp.ContentLength, resp.Header, resp.Close, string(body), err)
						tr.(interface{ CloseIdleConnections() }).CloseIdleConnections()
					}
					if told[0] != told[1] {
						t.Errorf("%s %s with %q of %s:\ngot  %s\nwant %s", method, status, fields, version, told[0], told[1])
					}
				}
			}
		}
	}
}

// A response to HEAD may list transfer codings that would be refused with a body, and is reported as chunked only if it
// says so.
func TestTransportCodingsWithoutBody(t *testing.T) {
	for lines, want := range map[string]string{
		"Transfer-Encoding: Chunked\r\n":                           "[chunked]",
		"Transfer-Encoding: zip\r\n":                               "[zip]",
		"Transfer-Encoding: zip , chunked\r\n":                     "[chunked zip]",
		"Transfer-Encoding: zip\r\nTransfer-Encoding: chunked\r\n": "[chunked zip]",
	} {
		addr := speak(t, func(w *wire) {
			for w.head() != "" {
				w.send("HTTP/1.1 200 OK\r\n" + lines + "\r\n")
			}
		})
		tr := new(nethttp.Transport)
		for range 2 { // on one connection
			req, _ := http.NewRequestWithContext(t.Context(), "HEAD", "http://"+addr, nil)
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := fmt.Sprint(resp.TransferEncoding); got != want || resp.Header.Get("Transfer-Encoding") != "" {
				t.Errorf("%q: %s, want %s", lines, got, want)
			}
		}
		tr.Close()
	}
}

// A body that is not gzip, or is cut short, gives an error that stays.
func TestTransportBadGzip(t *testing.T) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	io.WriteString(zw, "hello")
	zw.Close()
	for body, want := range map[string]error{"this is no gzip": gzip.ErrHeader, packed.String()[:packed.Len()-1]: io.ErrUnexpectedEOF} {
		addr := speak(t, func(w *wire) {
			w.head()
			w.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + body)
		})
		tr := new(nethttp.Transport)
		resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := io.ReadAll(resp.Body); err != want {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		resp.Body.Close()
		tr.Close()
	}
}

// A proxy's URL that cannot be parsed again is an error.
func TestTransportProxyUnread(t *testing.T) {
	tr := &nethttp.Transport{Proxy: func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: "a b"}, nil }}
	defer tr.Close()
	for _, to := range []string{"http://192.0.2.1", "https://192.0.2.1"} {
		if resp, err := tr.RoundTrip(getRequest(t, to)); err == nil {
			t.Errorf("got %v", resp)
		}
	}
}

// A request that is refused does not count as running.
func TestTransportForgetsTheRefused(t *testing.T) {
	tr := new(nethttp.Transport)
	defer tr.Close()
	req := getRequest(t, "http://192.0.2.1/")
	req.URL.Opaque = "/a b"
	if resp, err := tr.RoundTrip(req); err == nil || nethttp.Runs(tr) {
		t.Errorf("got %v, %v; under way: %v", resp, err, nethttp.Runs(tr))
	}
}

// A server may switch protocols before it has read the body, which is then still sent, as by net/http. Errors of that do
// not affect the connection, which is the caller's. WroteRequest is called when the end of the body has been sent, so
// what the caller writes then follows it; net/http calls it earlier.
func TestTransportSwitchesWhileSending(t *testing.T) {
	boom := errors.New("boom")
	for _, failure := range []error{nil, boom} {
		addr := speak(t, func(w *wire) {
			w.head()
			w.want("1\r\na\r\n")
			w.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
			w.want("1\r\nb\r\n")
			if failure == nil {
				w.want("0\r\n\r\n")
			}
			w.want("over")
			w.send("out")
			w.end()
		})
		tr := new(nethttp.Transport)
		defer tr.Close()
		body, say := io.Pipe()
		sent := make(chan error, 1)
		trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { sent <- i.Err }}
		req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "POST", "http://"+addr, body)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "x")
		go io.WriteString(say, "a")
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatalf("%v: %v", failure, err)
		}
		read := make(chan string, 1)
		go func() { // also while sending ends
			b := make([]byte, len("helloout"))
			n, _ := io.ReadFull(resp.Body, b)
			read <- string(b[:n])
		}()
		io.WriteString(say, "b")
		say.CloseWithError(failure)
		if err := <-sent; (err != nil) != (failure != nil) {
			t.Errorf("sending has ended with %v, want %v", err, failure)
		}
		if _, err := io.WriteString(resp.Body.(io.Writer), "over"); err != nil {
			t.Errorf("%v: %v", failure, err)
		}
		if got := <-read; got != "helloout" {
			t.Errorf("%v: read %q", failure, got)
		}
		resp.Body.Close()
	}
}

// net/http's Transport and ours report the same for a response with status 101, and a proxy sends the same to its client.
// The body is the connection only if the response has an Upgrade field and names it in Connection.
func TestTransportSwitchedResponse(t *testing.T) {
	for _, fields := range []string{
		"Connection: Upgrade\r\nUpgrade: x\r\n", "Connection: keep-alive, upgrade\r\nUpgrade: x\r\nContent-Length: 5\r\n",
		"Upgrade: x\r\n", "Connection: Upgrade\r\n", "",
	} {
		got := func(tr http.RoundTripper) string {
			addr := speak(t, func(w *wire) {
				w.head()
				w.send("HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\nhello")
			})
			resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
			if err != nil {
				return err.Error()
			}
			defer resp.Body.Close()
			_, writes := resp.Body.(io.Writer)
			body, err := io.ReadAll(resp.Body)
			said := fmt.Sprintf("length %d, close %v, writer %v, %q, %v; ", resp.ContentLength, resp.Close, writes, body, err)
			resp.Body = nil // as httputil.ReverseProxy writes it
			var head strings.Builder
			resp.Write(&head)
			return said + head.String()
		}
		theirs, ours := new(http.Transport), new(nethttp.Transport)
		if got, want := got(ours), got(theirs); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", fields, got, want)
		}
		theirs.CloseIdleConnections()
		ours.Close()
	}
}
