package clients

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// Spans of requests have the same contents on our Transport as on net/http's, end with the body, and reach the server.
func TestOpenTelemetry(t *testing.T) {
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		url := rt.serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			switch r.URL.Path {
			case "/moved":
				http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
				return
			case "/fail":
				w.WriteHeader(500)
			}
			fmt.Fprint(w, r.Method, r.URL, r.Header.Get("Traceparent") != "", n, err)
		})
		spans := tracetest.NewSpanRecorder()
		c := &http.Client{Transport: otelhttp.NewTransport(rt, otelhttp.WithPropagators(propagation.TraceContext{}),
			otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))}
		for _, path := range []string{"/", "/moved", "/fail"} {
			resp, body := ask(t, c, "POST", url+path, strings.NewReader("a body"))
			seen = append(seen, fmt.Sprint(resp.StatusCode, body, len(spans.Ended())))
		}
		if _, err := c.Get("http://127.0.0.1:1"); err == nil {
			t.Error("got no request, want one")
		}
		for _, span := range spans.Ended() {
			seen = append(seen, told(span, url))
		}
		return seen
	})
}

// told returns the text of a span, without the server's port, which differs from run to run.
func told(span sdktrace.ReadOnlySpan, url string) string {
	lines := []string{span.Name(), span.Status().Code.String()}
	for _, a := range span.Attributes() {
		if a.Key != "server.port" {
			lines = append(lines, string(a.Key)+"="+strings.ReplaceAll(a.Value.String(), url, "URL"))
		}
	}
	slices.Sort(lines[2:])
	return strings.Join(lines, "\n")
}
