package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// BodyTimeout bounds each wait of a read, decompressed or not, in both versions, and the error stays.
func TestBodyTimeouts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text ", 20)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Path[1:]
		w.Header().Set("Content-Encoding", coding)
		packed := coded(t, coding, []byte(text))
		w.Write(packed[:len(packed)-1])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	each(t, func(t *testing.T, p client.Protocol) {
		var wg sync.WaitGroup
		defer wg.Wait()
		for _, coding := range []string{"identity", "gzip", "br", "zstd"} {
			for _, cfg := range []client.Config{{BodyTimeout: time.Second}, {Timeout: 2 * time.Second}} {
				cfg.Protocol = p
				c := newClient(t, cfg)
				wg.Go(func() {
					resp, err := c.Get(url + "/" + coding)
					if err != nil {
						t.Error(coding, err)
						return
					}
					got, err := io.ReadAll(resp.Body())
					if !strings.HasPrefix(text, string(got)) || coding == "identity" && len(got) != len(text)-1 || !isTimeout(err) || errors.Is(err, client.ErrTimeout) != (cfg.Timeout > 0) {
						t.Errorf("%s: got %d bytes, %v", coding, len(got), err)
					}
					if n, again := resp.Body().Read(make([]byte, 9)); n != 0 || again != err {
						t.Errorf("%s: then %d, %v", coding, n, again)
					}
					resp.Close()
				})
			}
		}
	})
}

// Warmup completes TLS handshakes, through proxies as well, and requests use its connections.
func TestWarmupOfTLS(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s, trusting := secured(t, h2, func(*tlsConfig) {})
		p := &proxy{at: s.Listener.Addr().String()}
		front := serve(t, p.ServeHTTP)
		for _, cfg := range []client.Config{{}, {Proxy: via(front)}} {
			cfg.TLSConfig = trusting
			c := newClient(t, cfg)
			if err := c.Warmup(3, s.URL, s.URL+"/other"); err != nil {
				t.Fatal(err)
			}
			want := map[bool]int64{false: 3, true: 1}[h2]
			if got := c.Stats(); got.OpenedConnections < want || h2 && got.OpenConnections != 1 || got.Requests != 0 {
				t.Errorf("got %+v; want OpenedConnections %d or more, Requests 0", got, want)
			}
			opened := c.Stats().OpenedConnections
			if _, body, err := do(c, &client.Request{URL: s.URL}); !strings.HasPrefix(body, "HTTP/") || err != nil {
				t.Errorf(`got %q, %v; want "HTTP/" at its start`, body, err)
			}
			if got := c.Stats(); got.OpenedConnections != opened {
				t.Errorf("got %+v, want OpenedConnections %v", got, opened)
			}
		}
		c := newClient(t, client.Config{})
		if err := c.Warmup(2, s.URL); err == nil || !strings.HasPrefix(err.Error(), `Warmup "https://`) {
			t.Errorf("a certificate of nobody's: %v", err)
		}
	}
}
