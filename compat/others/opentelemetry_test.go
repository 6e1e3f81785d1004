package others

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// told is what a span says, without addresses, which differ from run to run.
func told(span sdktrace.ReadOnlySpan) string {
	lines := []string{span.Name(), span.Status().Code.String(), span.Parent().TraceID().String()}
	for _, a := range span.Attributes() {
		if !strings.Contains(string(a.Key), "address") && !strings.Contains(string(a.Key), "port") {
			lines = append(lines, string(a.Key)+"="+a.Value.String())
		}
	}
	slices.Sort(lines[3:])
	return strings.Join(lines, "\n")
}

// Spans of handlers have the same contents on both servers.
func TestOpenTelemetry(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "net/http's writer lacks Hijacker and ReaderFrom otherwise")
	var spans *tracetest.SpanRecorder
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trace.SpanFromContext(r.Context()).SetAttributes(attribute.Int("fields", len(r.Header)))
		n, err := io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/fail" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		for name, has := range probes { // httpsnoop keeps what the server's writer has
			if !has(w) {
				fmt.Fprintln(w, "no", name)
			}
		}
		fmt.Fprintln(w, n, err)
		w.(http.Flusher).Flush()
		w.(io.ReaderFrom).ReadFrom(strings.NewReader("copied")) // goes past otelhttp, which counts Write
	})
	both.Compare(t, func() *http.Server {
		spans = tracetest.NewSpanRecorder()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
		return &http.Server{Handler: otelhttp.NewHandler(h, "operation",
			otelhttp.WithTracerProvider(provider), otelhttp.WithPropagators(propagation.TraceContext{}))}
	}, func(t *testing.T, s *both.Site) (seen []string) {
		const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		seen = append(seen,
			s.Do(t, both.Get(200, "/")).String(),
			s.Do(t, both.Post(200, "/", "some body", "Traceparent", parent)).String(),
			s.Do(t, both.Get(500, "/fail")).String())
		if strings.Contains(strings.Join(seen, ""), "no ") {
			t.Errorf("%s: the wrapped writer lacks something: %v", s.Name, seen)
		}
		ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
		defer cancel()
		if err := s.Server.Shutdown(ctx); err != nil { // spans end after their responses
			t.Fatal(err)
		}
		for _, span := range spans.Ended() {
			seen = append(seen, told(span))
		}
		if all := strings.Join(seen[3:], "\n"); !strings.Contains(all, "http.response.body.size=8") ||
			!strings.Contains(all, "http.request.body.size=9") || !strings.Contains(all, "http.response.status_code=500") ||
			!strings.Contains(all, "0af7651916cd43dd8448eb211c80319c") {
			t.Errorf("%s: the spans tell %s", s.Name, all)
		}
		return seen
	})
}
