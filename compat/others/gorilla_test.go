package others

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/gorilla/handlers"
	"github.com/gorilla/mux"
	"github.com/gorilla/sessions"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Routes of gorilla/mux behave the same on both servers.
func TestGorillaMux(t *testing.T) {
	t.Parallel()
	r := mux.NewRouter()
	show := func(w http.ResponseWriter, r *http.Request) {
		name := mux.CurrentRoute(r).GetName()
		fmt.Fprintf(w, "%s %s by %s: %v", r.Method, r.URL, name, mux.Vars(r))
	}
	r.HandleFunc("/items/{id:[0-9]+}", show).Methods("GET", "HEAD").Name("item")
	r.HandleFunc("/search", show).Queries("q", "{q}").Name("search")
	r.HandleFunc("/json", show).Headers("Content-Type", "application/json").Name("json")
	r.Host("{sub}.example.com").Path("/host").HandlerFunc(show).Name("host")
	r.PathPrefix("/tree/").HandlerFunc(show).Name("tree")
	r.StrictSlash(true).HandleFunc("/slash/", show).Name("slash")
	r.Use(mux.CORSMethodMiddleware(r))
	both.Same(t, r, []both.Request{
		both.Get(200, "/items/7"),
		both.Head(200, "/items/7"),
		both.Post(405, "/items/7", ""),
		both.Get(404, "/items/x"),
		both.Get(200, "/search?q=a+b"),
		both.Get(404, "/search"),
		both.Post(200, "/json", "{}", "Content-Type", "application/json"),
		both.Get(200, "//api.example.com/host"),
		both.Get(404, "/host"),
		both.Get(200, "/tree/a/b"),
		both.Get(301, "/slash"),
		both.Get(301, "//example.com//tree/../items/7"),
	})
}

// layers is gorilla's whole set of middlewares around one handler; what it logs goes to log.
func layers(log io.Writer) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("of the handler")
		}
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s %s %s %s, %d bytes, %v, %s", r.Method, r.URL, r.Host, strings.Split(r.RemoteAddr, ":")[0], n, err,
			strings.Repeat("filler ", 700))
	})
	h = handlers.CompressHandler(h)
	h = handlers.ContentTypeHandler(h, "application/json", "text/plain")
	h = handlers.HTTPMethodOverrideHandler(h)
	h = handlers.ProxyHeaders(h)
	h = handlers.RecoveryHandler(handlers.RecoveryLogger(discard{}))(h)
	h = handlers.CORS(handlers.AllowedOrigins([]string{"https://a.example"}), handlers.AllowCredentials())(h)
	return handlers.CustomLoggingHandler(log, h, func(w io.Writer, p handlers.LogFormatterParams) {
		fmt.Fprintln(w, p.Request.Method, p.URL.Path, p.StatusCode, p.Size)
	})
}

type discard struct{}

func (discard) Println(...any) {}

// The middleware of gorilla/handlers behaves the same on both servers.
func TestGorillaHandlers(t *testing.T) {
	t.Parallel()
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: layers(io.Discard)}
	}, func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, r := range []both.Request{
			both.Get(200, "/"),
			both.Get(200, "/", "Accept-Encoding", "gzip"),
			both.Get(200, "/", "Accept-Encoding", "deflate"),
			both.Head(200, "/", "Accept-Encoding", "gzip"),
			both.Post(200, "/", "{}", "Content-Type", "application/json"),
			both.Post(415, "/", "x", "Content-Type", "image/png"),
			both.Post(200, "/", "x", "Content-Type", "text/plain", "X-HTTP-Method-Override", "PUT"),
			both.Get(200, "/", "X-Forwarded-For", "10.1.1.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "h.example"),
			both.Get(200, "/", "Origin", "https://a.example"),
			both.Get(200, "/", "Origin", "https://b.example"),
			both.Send(200, "OPTIONS", "/", "Origin", "https://a.example", "Access-Control-Request-Method", "GET"),
			both.Get(500, "/panic"),
		} {
			seen = append(seen, s.Do(t, r))
		}
		return seen
	})
}

// gorilla's access log has the same status and size on both servers.
func TestGorillaLogging(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	both.Compare(t, func() *http.Server {
		log.Reset()
		return &http.Server{Handler: layers(&log)}
	}, func(t *testing.T, s *both.Site) string {
		p := s.Dial(t)
		for _, target := range []string{"/one", "/panic", "/two"} {
			p.Say("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n")
			p.Response("GET")
		}
		p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
		defer cancel()
		if err := s.Server.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "\n"); n != 3 {
			t.Errorf("%s: %d lines: got %q", s.Name, n, &log)
		}
		return log.String()
	})
}

// Sessions of gorilla are kept over requests on both servers.
func TestGorillaSessions(t *testing.T) {
	t.Parallel()
	store := sessions.NewCookieStore([]byte("0123456789abcdef0123456789abcdef"))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session, err := store.Get(r, "visits")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, _ := session.Values["n"].(int)
		session.Values["n"] = n + 1
		if err := session.Save(r, w); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, n, session.IsNew)
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Client.Jar = jar
		for range 3 {
			seen = append(seen, s.Do(t, both.Get(200, "/")))
		}
		return seen
	}, both.Without("Set-Cookie", "Expires")) // both hold the time
}
