package standard

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// routes responds with the pattern that matched and what its wildcards caught.
func routes(wildcards map[string][]string) *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, names := range wildcards {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s matched %q", r.Method, r.URL, r.Pattern)
			for _, name := range names {
				fmt.Fprintf(w, ", %s is %q", name, r.PathValue(name))
			}
		})
	}
	return mux
}

// ServeMux finds the same handlers and path values on both servers.
func TestServeMux(t *testing.T) {
	t.Parallel()
	mux := routes(map[string][]string{
		"/{$}":                      nil,
		"/exact":                    nil,
		"/tree/":                    nil,
		"GET /items/{id}":           {"id"},
		"POST /items/{id}":          {"id"},
		"GET /items/latest":         nil,
		"/items/{id}/parts/{part}":  {"id", "part"},
		"GET /files/{rest...}":      {"rest"},
		"DELETE /files/{name}":      {"name"},
		"api.example.com/":          nil,
		"api.example.com/v1/{call}": {"call"},
		"GET /only-get/":            nil,
	})
	both.Same(t, mux, []both.Request{
		both.Get(200, "/"),
		both.Get(404, "/none"),
		both.Get(200, "/exact?q=1"),
		both.Get(404, "/exact/"),
		both.Get(307, "/tree"),
		both.Get(307, "/tree?q=1"),
		both.Post(307, "/tree", "body"),
		both.Get(200, "/tree/"),
		both.Get(200, "/tree/deep/er"),

		// The more specific pattern wins.
		both.Get(200, "/items/7"),
		both.Get(200, "/items/latest"),
		both.Post(200, "/items/latest", ""),
		both.Head(200, "/items/7"),
		both.Send(405, "PUT", "/items/7"),
		both.Send(405, "DELETE", "/items/latest"),
		both.Get(200, "/items/a%2Fb/parts/c%20d"),
		both.Get(404, "/items/7/parts/"),
		both.Get(200, "/items/7/parts/x?y=z"),
		both.Get(200, "/files/"),
		both.Get(200, "/files/a/b/c"),
		both.Send(200, "DELETE", "/files/a"),
		both.Send(405, "DELETE", "/files/a/b"),
		both.Send(405, "POST", "/only-get/x"),

		// Hosts, with and without a port.
		both.Get(200, "//api.example.com/anything"),
		both.Get(200, "//api.example.com:8080/v1/list"),
		both.Get(200, "//other.example.com/exact"),

		// Paths that are not clean.
		both.Get(307, "//example.com//exact"),
		both.Get(307, "/tree/../exact"),
		both.Get(307, "/./exact?q=1"),
		both.Get(307, "/tree/a/../b/"),
		both.Get(200, "/tree/%2e%2e/x"),
		both.Get(307, "/../../exact"),

		both.Send(404, "OPTIONS", "/none"),
		both.Send(405, "OPTIONS", "/items/7"),
		both.Send(405, "BREW", "/items/7"),
	})
}

// fillDefaultMux registers once, however often the test runs.
var fillDefaultMux = sync.OnceFunc(func() {
	http.HandleFunc("GET /default/{who}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.Pattern, r.PathValue("who"))
	})
})

// A server without a handler uses http.DefaultServeMux.
func TestDefaultServeMux(t *testing.T) {
	t.Parallel()
	fillDefaultMux()
	both.Same(t, nil, []both.Request{both.Get(200, "/default/me"), both.Get(404, "/default")})
}

// The server itself responds to OPTIONS *, unless it is told otherwise.
func TestOptionsAsterisk(t *testing.T) {
	t.Parallel()
	for _, disabled := range []bool{false, true} {
		both.Compare(t, func() *http.Server {
			return &http.Server{
				DisableGeneralOptionsHandler: disabled,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprintf(w, "%s %s %q", r.Method, r.RequestURI, r.URL.Path)
				}),
			}
		}, func(t *testing.T, s *both.Site) both.Exchange {
			p := s.Dial(t)
			p.Say("OPTIONS * HTTP/1.1\r\nHost: example.com\r\n\r\n")
			x := p.Response("OPTIONS")
			if x.Status != 200 || (x.Body == "") == disabled {
				t.Errorf("got %v", x)
			}
			return x
		})
	}
}
