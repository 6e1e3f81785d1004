package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// h2c returns the protocols of a server and a Transport without TLS.
func h2c() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// serveStd serves h with net/http, over TLS or not, and returns its URL and a Transport for it.
func serveStd(t testing.TB, h http.HandlerFunc, secure bool) (string, *nethttp.Transport) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	tr := &nethttp.Transport{ForceAttemptHTTP2: true}
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
		tr.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	} else {
		s.Config.Protocols, tr.Protocols = h2c(), h2c()
		s.Start()
	}
	t.Cleanup(func() { tr.Close(); s.Close() })
	return s.URL, tr
}

// serveOwn is serveStd with our server, without minimum rates: many uploads at once on a busy machine are slow.
func serveOwn(t testing.TB, h http.HandlerFunc) (string, *nethttp.Transport) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := server.Config{Handler: nethttp.Handler(h), Protocols: h2c(), MaxBodyBytes: -1, MinReadRate: -1, MinWriteRate: -1}
	facelink.LikeNetHTTP(&cfg)
	s := server.NewServer(cfg)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	tr := &nethttp.Transport{Protocols: h2c()}
	t.Cleanup(func() { tr.Close(); s.Close(); <-done })
	return "http://" + l.Addr().String(), tr
}

// onServers runs test with each kind of server.
func onServers(t *testing.T, h http.HandlerFunc, test func(t *testing.T, url string, tr *nethttp.Transport)) {
	t.Run("net/http h2c", func(t *testing.T) { url, tr := serveStd(t, h, false); test(t, url, tr) })
	t.Run("net/http TLS", func(t *testing.T) { url, tr := serveStd(t, h, true); test(t, url, tr) })
	t.Run("own", func(t *testing.T) { url, tr := serveOwn(t, h); test(t, url, tr) })
}

// roundTrip sends req and returns the response with its body, which it has read.
func roundTrip(t testing.TB, tr http.RoundTripper, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func getRequest(t testing.TB, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestTransportGet(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.Proto+" "+r.Method+" "+r.RequestURI+" "+r.Header.Get("User-Agent")+" "+r.Header.Get("Cookie"))
		io.WriteString(w, "hello")
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		req := getRequest(t, url+"/a%20b?c=d")
		req.Header.Set("Cookie", "a=1; b=2")
		resp, body := roundTrip(t, tr, req)
		if got, want := resp.Header.Get("X-Seen"), "HTTP/2.0 GET /a%20b?c=d Go-http-client/2.0 a=1; b=2"; got != want {
			t.Errorf("the server saw %q, want %q", got, want)
		}
		if body != "hello" || resp.Status != "200 OK" || resp.Proto != "HTTP/2.0" || resp.ContentLength != 5 || resp.Request != req {
			t.Errorf("got %q, %+v", body, resp)
		}
	})
}

func TestTransportBodies(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Length", http.StatusText(200))
		w.Write(b)
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		for _, size := range []int{0, 1, 1000, 70_000, 1 << 20, 3 << 20} {
			data := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
			for name, body := range map[string]io.Reader{
				"known": bytes.NewReader(data), "unknown": io.MultiReader(bytes.NewReader(data)),
			} {
				req, _ := http.NewRequestWithContext(t.Context(), "POST", url, body)
				if _, got := roundTrip(t, tr, req); got != string(data) {
					t.Errorf("%s: sent %d bytes, got %d back", name, size, len(got))
				}
			}
		}
	})
}

func TestTransportConcurrent(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		var wg sync.WaitGroup
		for i := range 300 {
			wg.Go(func() {
				data := strings.Repeat("x", i*37)
				req, _ := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(data))
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				if b, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(b) != data {
					t.Errorf("sent %d, got %d (%s), %v", len(data), len(b), resp.Status, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestTransportTrailers(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, r.Trailer.Get("X-Up")+r.Trailer.Get("Connection")+r.Trailer.Get("Te"))
		w.Header().Set("X-Sum", "42")
		w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader("body"))
		req.ContentLength = -1
		req.Trailer = http.Header{"X-Up": {"there"}, "Connection": {"no"}, "Te": {"trailers"}} // two of these must not be trailers
		resp, body := roundTrip(t, tr, req)
		if body != "there" || resp.Trailer.Get("X-Sum") != "42" || resp.Trailer.Get("X-Late") != "yes" {
			t.Errorf("got %q, %v", body, resp.Trailer)
		}
	})
}

// A trailer value that cannot be sent, set at the end of the body, is an error.
func TestTransportBadTrailer(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }, func(t *testing.T, url string, tr *nethttp.Transport) {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", url, nil)
		req.Trailer = http.Header{"A": nil}
		r, w := io.Pipe()
		req.Body = r
		go func() {
			io.WriteString(w, "body")
			req.Trailer["A"] = []string{"b\x00"}
			w.Close()
		}()
		if resp, err := tr.RoundTrip(req); err == nil || err.Error() != `net/http: invalid trailer field value for "A"` {
			t.Errorf("got %v, %v", resp, err)
		}
	})
}

func TestTransportNoContent(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		default:
			w.Header().Set("Content-Length", "7")
			w.WriteHeader(200)
		}
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		for _, path := range []string{"/204", "/304"} {
			if resp, body := roundTrip(t, tr, getRequest(t, url+path)); body != "" || resp.Body != http.NoBody {
				t.Errorf("%s: got %q, %T", path, body, resp.Body)
			}
		}
		req := getRequest(t, url+"/head")
		req.Method = "HEAD"
		if resp, body := roundTrip(t, tr, req); body != "" || resp.ContentLength != 7 {
			t.Errorf("HEAD: got %q, %d", body, resp.ContentLength)
		}
	})
}

func TestTransportCancel(t *testing.T) {
	begun, gone := make(chan struct{}, 10), make(chan struct{}, 10)
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			return
		}
		if r.URL.Path == "/head" {
			begun <- struct{}{}
		}
		if r.URL.Path == "/mid" {
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		gone <- struct{}{}
	}, func(t *testing.T, url string, tr *nethttp.Transport) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		_, err := tr.RoundTrip(getRequest(t, url+"/head").WithContext(ctx))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("before the head: %v", err)
		}
		<-gone
		ctx, cancel = context.WithCancel(t.Context())
		resp, err := tr.RoundTrip(getRequest(t, url+"/mid").WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("in the body: %v", err)
		}
		<-gone
		resp, err = tr.RoundTrip(getRequest(t, url+"/mid"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		<-gone
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Error("read after close")
		}
		roundTrip(t, tr, getRequest(t, url+"/ok"))
	})
}
