package nethttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// eachPair runs test twice over HTTP/2 without TLS: with our server and net/http's client, and the other way round.
func eachPair(t *testing.T, cfg *http.HTTP2Config, h http.HandlerFunc, test func(t *testing.T, url string, tr http.RoundTripper)) {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	type server interface {
		Serve(net.Listener) error
		Close() error
	}
	std, ours := &http.Transport{Protocols: p}, &nethttp.Transport{Protocols: p}
	t.Cleanup(func() { std.CloseIdleConnections(); ours.Close() })
	for name, pair := range map[string]struct {
		s  server
		tr http.RoundTripper
	}{
		"our server": {&nethttp.Server{Handler: h, Protocols: p, HTTP2: cfg, ErrorLog: quiet()}, std},
		"our client": {&http.Server{Handler: h, Protocols: p, HTTP2: cfg, ErrorLog: quiet()}, ours},
		"both ours":  {&nethttp.Server{Handler: h, Protocols: p, HTTP2: cfg, ErrorLog: quiet()}, ours},
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			go pair.s.Serve(l)
			defer pair.s.Close()
			test(t, "http://"+l.Addr().String(), pair.tr)
		})
	}
}

// in copies k bytes at a time, without the shortcuts of io.Copy.
func in(k int, r io.Reader) (n int64, err error) {
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, k))
}

// Bodies that are read late and in small pieces arrive whole, uploads and downloads.
func TestReadersThatAreLate(t *testing.T) {
	const size = 3 << 20
	late := 50 * time.Millisecond
	eachPair(t, &http.HTTP2Config{MaxReceiveBufferPerStream: 2 * size, MaxReceiveBufferPerConnection: 2 * size}, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(late) // what is sent meanwhile waits in the buffers
		if n, err := in(300, r.Body); n != size || err != nil {
			t.Errorf("uploaded %d: %v", n, err)
		}
		w.Write(make([]byte, size))
	}, func(t *testing.T, url string, tr http.RoundTripper) {
		for range 2 {
			req, _ := http.NewRequest("POST", url, bytes.NewReader(make([]byte, size)))
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(late)
			if n, err := in(300, res.Body); n != size || err != nil {
				t.Errorf("downloaded %d: %v", n, err)
			}
			res.Body.Close()
		}
	})
}

// A call that exceeds its deadline does not disturb other calls on the same connection.
func TestDeadlinesOfCalls(t *testing.T) {
	eachPair(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthy" {
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}, func(t *testing.T, url string, tr http.RoundTripper) {
		healthy, err := http.NewRequestWithContext(t.Context(), "GET", url+"/healthy", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tr.RoundTrip(healthy)
		if err != nil {
			t.Fatal(err)
		}
		broken := make(chan error, 1)
		go func() { _, err := res.Body.Read(make([]byte, 1)); broken <- err }()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				for range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
					req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
					if res, err := tr.RoundTrip(req); err == nil {
						res.Body.Close()
					}
					cancel()
				}
			})
		}
		all.Wait()
		if len(broken) > 0 {
			t.Errorf("the healthy one: %v", <-broken)
		}
		res.Body.Close()
		<-broken
	})
}

// drip is a body of n pieces of ten bytes.
type drip struct{ n int }

func (d *drip) Read(p []byte) (int, error) {
	if d.n == 0 {
		return 0, io.EOF
	}
	d.n--
	return copy(p, "ten bytes."), nil
}

// 120 uploads in frames of 10 bytes, over a connection that allows 10 streams, all get their responses, although half are
// refused before they are read.
func TestUploadsInSmallFrames(t *testing.T) {
	const calls, pieces = 120, 150
	eachPair(t, &http.HTTP2Config{MaxConcurrentStreams: 10}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(429)
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	}, func(t *testing.T, url string, tr http.RoundTripper) {
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				path := [...]string{"/yes", "/no"}[i%2]
				req, _ := http.NewRequest("POST", url+path, &drip{pieces})
				req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(&drip{pieces}), nil }
				res, err := tr.RoundTrip(req)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					return
				}
				defer res.Body.Close()
				if b, err := io.ReadAll(res.Body); path == "/yes" && string(b) != "1500 <nil>" || err != nil {
					t.Errorf("%s: %q %v", path, b, err)
				}
			})
		}
		all.Wait()
	})
}
