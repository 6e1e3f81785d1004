package others

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// instrumented counts, times and measures h; its metrics are at /metrics.
func instrumented(h http.Handler) http.Handler {
	reg := prometheus.NewRegistry()
	labels := []string{"code", "method"}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, labels)
	buckets := []float64{100, 1e6}
	responses := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "response_bytes", Buckets: buckets}, labels)
	bodies := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "request_bytes", Buckets: buckets}, labels)
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "seconds", Buckets: buckets}, labels)
	first := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "first_seconds", Buckets: buckets}, labels)
	running := prometheus.NewGauge(prometheus.GaugeOpts{Name: "running"})
	reg.MustRegister(requests, responses, bodies, took, first, running)

	h = promhttp.InstrumentHandlerCounter(requests, h)
	h = promhttp.InstrumentHandlerResponseSize(responses, h)
	h = promhttp.InstrumentHandlerRequestSize(bodies, h)
	h = promhttp.InstrumentHandlerDuration(took, h)
	h = promhttp.InstrumentHandlerTimeToWriteHeader(first, h)
	h = promhttp.InstrumentHandlerInFlight(running, h)
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	return mux
}

// seconds are the sums of durations: another one each time.
var seconds = regexp.MustCompile(`(?m)^((first_)?seconds_sum\{.*\}) .*$`)

// Metrics of handlers are the same on both servers.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "net/http's writer lacks Hijacker and ReaderFrom otherwise")
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	probe := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for what, has := range probes {
			if has(w) {
				w.Header().Add("X-Has", what)
			}
		}
		switch r.URL.Path {
		case "/file":
			http.ServeFile(w, r, name) // by ReadFrom, where the delegator offers it
		case "/flush":
			w.(http.Flusher).Flush()
			io.WriteString(w, "flushed")
		case "/teapot":
			w.WriteHeader(http.StatusTeapot)
		}
	})
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: instrumented(probe)}
	}, func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, r := range []both.Request{
			both.Get(200, "/file"), both.Get(200, "/flush"), both.Post(418, "/teapot", "short and stout"), both.Head(200, "/file"),
		} {
			x := s.Do(t, r)
			if got := len(x.Header["X-Has"]); got != len(probes) {
				t.Errorf("%s: the delegator passes on %v", s.Name, x.Header["X-Has"])
			}
			x.Header.Del("X-Has") // in the order of a map
			x.Header.Del("Last-Modified")
			seen = append(seen, x)
		}
		metrics := s.Do(t, both.Get(200, "/metrics"))
		packed := s.Do(t, both.Get(200, "/metrics", "Accept-Encoding", "gzip"))
		for _, line := range []string{
			`requests_total{code="200",method="get"} 2`, `requests_total{code="418",method="post"} 1`,
			`response_bytes_sum{code="200",method="get"} 100007`,
		} {
			if !strings.Contains(metrics.Body, line) {
				t.Errorf("%s: no %s in\n%s", s.Name, line, metrics.Body)
			}
		}
		if packed.Header.Get("Content-Encoding") != "gzip" || unzipped(t, packed.Body) != metrics.Body {
			t.Errorf("%s: the compressed metrics are others", s.Name)
		}
		metrics.Body = seconds.ReplaceAllString(metrics.Body, "$1")
		metrics.Header.Del("Content-Length") // the durations have a length of their own
		metrics.Length, metrics.Chunked = 0, false
		return append(seen, metrics)
	})
}

// probes are the optional interfaces of a ResponseWriter that middlewares look for.
var probes = map[string]func(http.ResponseWriter) bool{
	"Flusher":       is[http.Flusher],
	"Hijacker":      is[http.Hijacker],
	"ReaderFrom":    is[io.ReaderFrom],
	"CloseNotifier": is[interface{ CloseNotify() <-chan bool }],
}

func is[T any](w http.ResponseWriter) bool {
	_, ok := w.(T)
	return ok
}
