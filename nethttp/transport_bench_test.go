package nethttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// BenchmarkTransport sends 100 requests at once over one connection to net/http's server: ours beside net/http's.
func BenchmarkTransport(b *testing.B) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	s.Config.Protocols = h2c()
	s.Start()
	defer s.Close()
	own := &nethttp.Transport{Protocols: h2c()}
	defer own.Close()
	std := &http.Transport{Protocols: h2c()}
	defer std.CloseIdleConnections()
	for _, bc := range []struct {
		name string
		tr   http.RoundTripper
	}{{"own", own}, {"std", std}} {
		b.Run(bc.name, func(b *testing.B) { benchmarkTransport(b, bc.tr, s.URL) })
	}
}

func benchmarkTransport(b *testing.B, tr http.RoundTripper, url string) {
	const at = 100
	b.ReportAllocs()
	var wg sync.WaitGroup
	for i := range at {
		n := (b.N + at - 1 - i) / at
		wg.Go(func() {
			req, _ := http.NewRequest("GET", url, nil)
			buf := make([]byte, 512)
			for range n {
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Error(err)
					return
				}
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
}
