package others

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Routes of chi behave the same on both servers.
func TestChiRoutes(t *testing.T) {
	t.Parallel()
	r := chi.NewRouter()
	r.Use(middleware.StripSlashes, middleware.GetHead, middleware.Heartbeat("/ping"))
	r.Use(middleware.RealIP) //lint:ignore SA1019 many still use it, and it changes Request.RemoteAddr
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s id=%q pattern=%q from=%q", r.Method, r.URL, chi.URLParam(r, "id"),
			chi.RouteContext(r.Context()).RoutePattern(), strings.Split(r.RemoteAddr, ":")[0])
	}
	r.Get("/items/{id:[0-9]+}", show)
	r.Route("/nested", func(r chi.Router) {
		r.With(middleware.AllowContentType("application/json")).Post("/{id}", show)
		r.Mount("/deeper", http.StripPrefix("/nested/deeper", http.HandlerFunc(show)))
	})
	r.Get("/files/*", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, chi.URLParam(r, "*")) })
	r.NotFound(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "nothing here", http.StatusNotFound) })
	both.Same(t, r, []both.Request{
		both.Get(200, "/items/7"),
		both.Head(200, "/items/7"),
		both.Get(200, "/items/7/"),
		both.Get(404, "/items/x"),
		both.Send(405, "PUT", "/items/7"),
		both.Post(200, "/nested/a%20b", "{}", "Content-Type", "application/json"),
		both.Post(415, "/nested/7", "a=1", "Content-Type", "text/plain"),
		both.Get(200, "/nested/deeper/x"),
		both.Get(200, "/files/a/b/c"),
		both.Get(200, "/ping"),
		both.Get(200, "/items/7", "X-Real-Ip", "10.1.2.3"),
		both.Get(200, "/items/7", "X-Forwarded-For", "10.1.2.4, 10.0.0.1"),
	})
}

// unzipped is body decompressed.
func unzipped(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// chi's Compress compresses the same responses on both servers.
func TestChiCompress(t *testing.T) {
	t.Parallel()
	h := middleware.Compress(5)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.Copy(w, strings.NewReader(strings.Repeat("text ", 10_000)))
		w.(http.Flusher).Flush()
		io.WriteString(w, "end")
	}))
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) []both.Exchange {
		packed := s.Do(t, both.Get(200, "/", "Accept-Encoding", "gzip"))
		plain := s.Do(t, both.Get(200, "/"))
		if unzipped(t, packed.Body) != plain.Body {
			t.Errorf("%s: unpacked it is another text", s.Name)
		}
		return []both.Exchange{packed, plain, s.Do(t, both.Head(200, "/", "Accept-Encoding", "gzip"))}
	})
}

// chi's Timeout ends a handler's context in the same way on both servers.
func TestChiTimeout(t *testing.T) {
	t.Parallel()
	h := middleware.Timeout(10 * time.Millisecond)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	both.Same(t, h, []both.Request{both.Get(504, "/"), both.Post(504, "/", "body")})
}

// entries is a logger that keeps what it is told. The client asks for /abort again on another connection, so two of
// them may write.
type entries struct {
	mu    sync.Mutex
	lines []string
}

func (e *entries) addf(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

func (e *entries) NewLogEntry(*http.Request) middleware.LogEntry { return e }

func (e *entries) Write(status, bytes int, _ http.Header, _ time.Duration, _ any) {
	e.addf("%d, %d", status, bytes)
}

func (e *entries) Panic(v any, stack []byte) {
	e.addf("%v, %v", v, len(stack) > 0)
}

// chi's Recoverer responds with 500 after a panic, and lets http.ErrAbortHandler through to the server.
func TestChiRecoverer(t *testing.T) {
	t.Parallel()
	var log *entries
	both.Compare(t, func() *http.Server {
		log = new(entries)
		h := middleware.Recoverer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/abort" {
				panic(http.ErrAbortHandler)
			}
			panic("of the handler")
		}))
		return &http.Server{Handler: middleware.RequestLogger(log)(h)}
	}, func(t *testing.T, s *both.Site) []string {
		s.Do(t, both.Get(500, "/"))
		s.Do(t, both.Post(500, "/", "body"))
		s.Do(t, both.Get(0, "/abort"))
		ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
		defer cancel()
		if err := s.Server.Shutdown(ctx); err != nil { // entries are written behind the responses
			t.Fatal(err)
		}
		if want := "of the handler, true\n500, 0\n"; !strings.HasPrefix(strings.Join(log.lines, "\n")+"\n", want) {
			t.Errorf("%s: logged %q", s.Name, log.lines)
		}
		return log.lines
	})
}

// chi's Throttle lets one request in, lets one wait, and refuses the third.
func TestChiThrottle(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan bool, 3), make(chan bool)
	both.Compare(t, func() *http.Server {
		throttled := middleware.ThrottleBacklog(1, 1, both.Patience)
		return &http.Server{Handler: throttled(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			entered <- true
			<-leave
			fmt.Fprintln(w, "done")
		}))}
	}, func(t *testing.T, s *both.Site) []int {
		responses := make(chan both.Exchange, 3)
		for range 3 {
			req := s.New(t, both.Get(0, "/"))
			go func() { responses <- s.Read(s.Client.Do(req)) }()
		}
		both.Receive(t, entered, "the first request")
		seen := []int{both.Receive(t, responses, "the refusal").Status}
		for range 2 {
			both.Offer(t, leave, true, "the handler to return")
			seen = append(seen, both.Receive(t, responses, "a response").Status)
		}
		both.Receive(t, entered, "the second request")
		if fmt.Sprint(seen) != "[429 200 200]" {
			t.Errorf("%s: %v", s.Name, seen)
		}
		return seen
	})
}
