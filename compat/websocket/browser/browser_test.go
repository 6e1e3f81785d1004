package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/nethttp/nethttptest"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { both.Main(m) }

// plan is what the page is to try: WebSockets that echo, those whose handlers know no codes, those that are refused, and those
// that the page leaves open when it ends.
type plan struct {
	Talk     []string `json:"talk"`
	Codeless []string `json:"codeless"`
	Refused  []string `json:"refused"`
	Left     []string `json:"left"`
}

// site is what the page comes from.
type site struct {
	http.Handler
	plan    plan
	reports chan string
	left    chan left

	mu   sync.Mutex
	came map[string]string // by path: how the requests for WebSockets came
}

// left is how a library tells its handler that the page has left.
type left struct {
	library string
	err     error
}

// newSite returns a site with a handler for each library, in a chi router, in a ServeMux, and behind a ReverseProxy.
func newSite(t *testing.T) *site {
	s := &site{reports: make(chan string, 1), left: make(chan left, 20), came: map[string]string{}}
	mux := http.NewServeMux()
	for library, echo := range echoes(nil) {
		mux.HandleFunc("GET /"+library, echo)
		if library == "xnet" {
			s.plan.Codeless = append(s.plan.Codeless, "/"+library)
		} else {
			s.plan.Talk = append(s.plan.Talk, "/"+library)
		}
	}
	for library, echo := range echoes(func(library string, err error) { s.left <- left{library, err} }) {
		mux.HandleFunc("GET /left/"+library, echo)
		s.plan.Left = append(s.plan.Left, "/left/"+library)
	}
	router := chi.NewRouter()
	router.Get("/chi", echoes(nil)["gorilla"])
	mux.Handle("/chi", router)
	mux.Handle("/proxy/ours", proxyTo(t, backend(t)))
	s.plan.Talk = append(s.plan.Talk, "/chi", "/proxy/ours")
	if node := nodeBackend(t); node != "" {
		mux.Handle("/proxy/node", proxyTo(t, node))
		s.plan.Talk = append(s.plan.Talk, "/proxy/node")
	}
	mux.HandleFunc("/401", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "who are you?", http.StatusUnauthorized)
	})
	mux.HandleFunc("POST /posts-only", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "this page is shown for every path") })
	s.plan.Refused = []string{"/401", "/posts-only", "/catch-all"}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/page.html") })
	mux.HandleFunc("GET /plan", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(s.plan) })
	mux.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		s.reports <- string(said)
	})
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if websocket.IsUpgrade(r) {
			s.note(r.URL.Path, r.Method+" "+r.Proto+" over "+r.TLS.NegotiatedProtocol)
		}
		mux.ServeHTTP(w, r)
	})
	return s
}

// note records how a request for a WebSocket came.
func (s *site) note(path, how string) {
	s.mu.Lock()
	s.came[path] = how
	s.mu.Unlock()
}

// proxyTo returns a proxy to a server of HTTP/1.1.
func proxyTo(t *testing.T, target string) http.Handler {
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport = &nethttp.Transport{DisableKeepAlives: true}
	return p
}

// backend is a server of HTTP/1.1 with our echo.
func backend(t *testing.T) string {
	cfg := ours
	cfg.Origins = []string{"*"}
	s := nethttptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echoOurs(websocket.Accept(w, r, cfg))(func(string, error) {})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// nodeBackend is the echo of Node.js' package ws, "" if that is not installed.
func nodeBackend(t *testing.T) (target string) {
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(filepath.Join(program.Installed(), "node_modules/ws")); err != nil || missing != nil {
		t.Log("the package ws of Node.js is not installed (scripts/peers): the proxy has one backend less")
		return ""
	}
	return "http://127.0.0.1:" + program.Start(t, node, "testdata/echo.cjs").After("port ")
}

// Everything that the page tries in a browser works.
func TestPage(t *testing.T) {
	t.Parallel()
	browser := program.Find(t, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
	var s *site
	configure := func() *http.Server {
		s = newSite(t)
		return &http.Server{Handler: s}
	}
	both.RunServer(t, configure, func(t *testing.T, at *both.Site) {
		program.Start(t, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--ignore-certificate-errors", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", at.URL+"/")
		if said := both.Receive(t, s.reports, "the report of the page"); said != "all right" {
			t.Errorf("the page says %q", said)
		}
		for range s.plan.Left {
			l := both.Receive(t, s.left, "the end of what the page has left")
			if code := codeOf(l.err); code != 1001 && code != 1005 && code != 1006 {
				t.Errorf("%s tells its handler %v", l.library, l.err)
			}
		}
		want := "GET HTTP/1.1 over "
		if at.Ours {
			want += "h2"
		} else {
			want += "http/1.1"
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, path := range slices.Concat(s.plan.Talk, s.plan.Codeless, s.plan.Refused, s.plan.Left) {
			if got := s.came[path]; got != want {
				t.Errorf("the WebSocket at %s came as %q, want %q", path, got, want)
			}
		}
	}, both.HTTP2, both.TLS, both.Native(native))
}

// native returns a native handler that takes the WebSockets of our echo itself and leaves the others to std's handler.
func native(std *http.Server) server.Handler {
	others := nethttp.Handler(std.Handler)
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/ours" {
			std.Handler.(*site).note("/ours", string(r.Method())+" HTTP/1.1 over "+r.TLS().NegotiatedProtocol)
			echoOurs(websocket.Upgrade(w, r, ours))(func(string, error) {})
			return
		}
		others.ServeHTTP(w, r)
	})
}
