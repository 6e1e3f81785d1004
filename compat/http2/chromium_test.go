package http2

import (
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/websocket"
)

// Chromium loads a page over HTTP/2, and fetches, sends, and opens a WebSocket on a stream (RFC 8441) if it is
// offered.
func TestChromium(t *testing.T) {
	t.Parallel()
	browser := program.Find(t, "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
	reports := make(chan string, 1)
	sockets := make(chan string, 1) // what a WebSocket's request came by
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/page.html") })
	mux.HandleFunc("GET /down", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		io.WriteString(w, letters(n))
	})
	mux.HandleFunc("POST /up", func(w http.ResponseWriter, r *http.Request) {
		sum := crc32.NewIEEE()
		n, err := io.Copy(sum, r.Body)
		fmt.Fprintf(w, "%s %d %08x %v", r.Proto, n, sum.Sum32(), err)
	})
	mux.HandleFunc("/socket", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, websocket.Config{})
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow()
		sockets <- r.Method + " " + r.Proto + " over " + r.TLS.NegotiatedProtocol
		for m, err := range c.Messages() {
			if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
				return
			}
		}
	})
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		reports <- string(said)
	})
	both.Run(t, mux, func(t *testing.T, s *both.Site) {
		program.Start(t, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--ignore-certificate-errors", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", s.URL+"/")
		if said := both.Receive(t, reports, "the report of the page"); said != "all right" {
			t.Errorf("the page says %q", said)
		}
		want := "GET HTTP/1.1 over h2"
		if !s.Ours {
			want = "GET HTTP/1.1 over http/1.1" // it does not offer streams for WebSockets
		}
		if by := both.Receive(t, sockets, "a WebSocket"); by != want {
			t.Errorf("the WebSocket came by %s, want %s", by, want)
		}
	}, both.HTTP2, both.TLS)
}
