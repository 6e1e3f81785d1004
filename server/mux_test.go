package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// patterns are those of both muxes in TestMux.
var patterns = []string{
	"/{$}", "GET /items", "POST /items", "GET /items/{id}", "DELETE /items/{id}", "/items/{id}/parts/{part}",
	"GET /items/latest", "/files/{name...}", "/static/", "/static/css/{$}", "GET /a%20b/{c}", "/deep/{x}/y/z",
	"/deep/w/y/{v}/{rest...}", "PUT /any/thing", "/any/{other}", "GET /tree/", "/only/{$}",
}

// Mux serves the same patterns and requests as http.ServeMux does.
func TestMux(t *testing.T) {
	std, ours := http.NewServeMux(), new(server.Mux)
	names := []string{"id", "part", "name", "c", "x", "v", "rest", "other"}
	for _, p := range patterns {
		std.HandleFunc(p, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, p)
			for _, n := range names {
				if v := r.PathValue(n); v != "" {
					fmt.Fprintf(w, " %s=%q", n, v)
				}
			}
		})
		ours.HandleFunc(p, func(w *server.ResponseWriter, r *server.Request) {
			fmt.Fprint(w, p)
			for _, n := range names {
				if v := r.PathValue(n); len(v) > 0 {
					fmt.Fprintf(w, " %s=%q", n, v)
				}
			}
		})
	}
	f := handle(t, ours.ServeHTTP)
	for _, target := range []string{
		"/", "/x", "/items", "/items/", "/items/7", "/items/latest", "/items/latest/", "/items/7/parts/8", "/items/7/parts/",
		"/items//parts/8", "/items/a%2Fb", "/items/%41", "/%69tems/7", "/files", "/files/", "/files/a", "/files/a/b%2Fc/", "/files?q=1",
		"/static/css/", "/static/css/x", "/static/js", "/static", "/a%20b/c", "/deep/w/y/z", "/deep/w/y/z/q", "/deep/v/y/z",
		"/any/thing", "/any/", "/tree", "/tree/a/b", "/only/", "/only", "/only/x",
		"//items", "/items/../items/7", "/./items?q=1", "/items/..", "/files/a/./b/", "/..",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "PUT"} {
			want := standardAnswer(std, method, target)
			if got := ourAnswer(t, f, method, target); got != want {
				t.Errorf("%s %s:\n%s\nwant:\n%s", method, target, got, want)
			}
		}
	}
}

func standardAnswer(m *http.ServeMux, method, target string) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(method, "http://h"+target, nil))
	return answer(w.Result(), method)
}

func ourAnswer(t *testing.T, f *fixture, method, target string) string {
	t.Helper()
	wire := f.exchange(t, method+" "+target+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire)), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return answer(res, method)
}

// answer is the part of a response that both must have in common: the texts of refusals may differ.
func answer(res *http.Response, method string) string {
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 200 || method == "HEAD" {
		body = nil
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", res.StatusCode, res.Header.Get("Allow"), res.Header.Get("Location"), body))
}

// A path whose escapes hide "." or ".." matches no pattern, so that a value can safely be joined to a directory's name.
func TestMuxHidesNoDots(t *testing.T) {
	m := new(server.Mux)
	m.NotFound = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) { w.Error(404, "our own text") })
	m.HandleFunc("/files/{name...}", func(w *server.ResponseWriter, r *server.Request) { w.Write(r.PathValue("name")) })
	m.HandleFunc("/one/{name}", func(w *server.ResponseWriter, r *server.Request) { w.Write(r.PathValue("name")) })
	f := handle(t, m.ServeHTTP)
	for target, want := range map[string]string{
		"/files/%2e%2e/x": "our own text\n", "/files/a%2f..%2fb": "our own text\n", "/files/%2e": "our own text\n",
		"/one/%2e%2e": "our own text\n", "/one/..%2fx": "our own text\n", "/one/a%2f%2e.": "our own text\n",
		"/files/...": "...", "/one/%2e%2e%2e": "...", "/one/.a%2fb.": ".a/b.", "/files/a%20b/c": "a b/c",
	} {
		_, got, _ := strings.Cut(f.exchange(t, "GET "+target+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), "\r\n\r\n")
		if got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if got := f.exchange(t, "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "our own text") {
		t.Errorf("*: %q", got)
	}
}

// A Mux below another sees the whole path and has values of its own.
func TestMuxInMux(t *testing.T) {
	outer, inner := new(server.Mux), new(server.Mux)
	outer.Handle("/{tenant}/api/{rest...}", inner)
	inner.HandleFunc("/a/api/{id}", func(w *server.ResponseWriter, r *server.Request) {
		fmt.Fprintf(w, "%s %v", r.PathValue("id"), r.PathValue("tenant") == nil)
	})
	f := handle(t, outer.ServeHTTP)
	if got := f.exchange(t, "GET /a/api/7 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); !strings.HasSuffix(got, "\r\n7 true") {
		t.Errorf("%q", got)
	}
}

// If a literal segment leads to no pattern, or not for the method, wildcards are tried.
func TestBackwards(t *testing.T) {
	m := new(server.Mux)
	for _, p := range []string{"POST /a", "GET /{x}", "/b/c", "/{x}/d", "/{rest...}"} {
		m.HandleFunc(p, func(w *server.ResponseWriter, r *server.Request) {
			fmt.Fprintf(w, "%s %s %s", p, r.PathValue("x"), r.PathValue("rest"))
		})
	}
	f := handle(t, m.ServeHTTP)
	for request, want := range map[string]string{
		"POST /a": "POST /a  ", "GET /a": "GET /{x} a ", "PUT /a": "/{rest...}  a", "GET /b/c": "/b/c  ",
		"GET /b/d": "/{x}/d b ", "GET /b/e": "/{rest...}  b/e", "GET /": "/{rest...}  ",
	} {
		got := f.exchange(t, request+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		if !strings.HasSuffix(got, "\r\n\r\n"+want) {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	h := server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {})
	for _, p := range []string{
		"", "GET", "GET ", "example.com/", "GET example.com/", "/a//b", "/a/../b", "/./", "/a{b}", "/{a}b", "/{a", "/a}", "/{}",
		"/{...}", "/{a...}/b", "/{$}/b", "/{a}/{a}", "/{a}/{a...}", "/%zz", "/{a{b}}", "/there", "/x/{other}", "G/T /a", "{} /a",
	} {
		t.Run(p, func(t *testing.T) {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "server: pattern ") {
					t.Errorf("panicked with %s", v)
				}
			}()
			m := new(server.Mux)
			m.Handle("/there", h)
			m.Handle("/x/{name}", h)
			m.Handle(p, h)
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil handler is taken")
		}
	}()
	new(server.Mux).Handle("/", nil)
}

// A redirect never leads to another host. Browsers read a backslash as a slash, and a target that begins with two slashes
// as another host.
func TestMuxRedirectsToItself(t *testing.T) {
	m := new(server.Mux)
	m.HandleFunc("/{name}/", func(*server.ResponseWriter, *server.Request) {})
	f := handle(t, m.ServeHTTP)
	for path, want := range map[string]string{
		`//\evil.example/`:     "/%5Cevil.example/",
		`/\evil.example`:       "/%5Cevil.example/",
		`/.//evil.example`:     "/evil.example",
		`///evil.example/a/..`: "/evil.example",
		`/a?b\c`:               "/a/?b\\c",
	} {
		got := f.exchange(t, "GET "+path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 307 ") || !strings.Contains(got, "\r\nLocation: "+want+"\r\n") {
			t.Errorf("%s: got %q, want a redirect to %s", path, got, want)
		}
	}
}
