package peers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// A page of another origin can connect once its origin is allowed.
func TestChromium(t *testing.T) {
	t.Parallel()
	browser := program.Find(t, "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
	for _, way := range []wsecho.Way{wsecho.Blocking, wsecho.Callbacks} {
		t.Run(way.Name, func(t *testing.T) {
			cfg := websocket.Config{Compression: websocket.ContextTakeover, Subprotocols: []string{"echo"}, Origins: []string{"127.0.0.1:*"}}
			if said := browse(t, browser, way.Start(t, cfg)); said != "all right" {
				t.Errorf("the page says %q", said)
			}
		})
	}
	t.Run("foreign-origin", func(t *testing.T) {
		cfg := websocket.Config{Compression: websocket.ContextTakeover, Subprotocols: []string{"echo"}}
		if said := browse(t, browser, wsecho.Blocking.Start(t, cfg)); said != "Error: the connection failed before open" {
			t.Errorf("the page says %q", said)
		}
	})
}

// browse shows the page to the browser and returns what it reports.
func browse(t *testing.T, browser string, s *wsecho.Server) string {
	reports := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/page.html") })
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		reports <- string(said)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	program.Start(t, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", site.URL+"/#"+s.URL)
	return both.Receive(t, reports, "the report of the page")
}
