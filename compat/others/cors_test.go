package others

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/rs/cors"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })

// Preflight and simple requests get the same responses from rs/cors on both servers.
func TestCORS(t *testing.T) {
	t.Parallel()
	h := cors.New(cors.Options{
		AllowedOrigins:   []string{"https://*.example.com"},
		AllowedMethods:   []string{"GET", "PUT"},
		AllowedHeaders:   []string{"X-Token"},
		ExposedHeaders:   []string{"X-Out"},
		AllowCredentials: true,
		MaxAge:           60,
	}).Handler(hello)
	both.Same(t, h, []both.Request{
		both.Get(200, "/"),
		both.Get(200, "/", "Origin", "https://a.example.com"),
		both.Get(200, "/", "Origin", "https://evil.example"),
		both.Send(204, "OPTIONS", "/", "Origin", "https://a.example.com", "Access-Control-Request-Method", "PUT",
			"Access-Control-Request-Headers", "x-token"),
		both.Send(204, "OPTIONS", "/", "Origin", "https://a.example.com", "Access-Control-Request-Method", "DELETE"),
		both.Send(200, "OPTIONS", "/"),
	})
}
