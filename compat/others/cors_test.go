package others

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/rs/cors"
	"golang.org/x/time/rate"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })

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

// A limiter that lets three requests pass, and then none for an hour.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	both.SameServer(t, func() *http.Server {
		limiter := rate.NewLimiter(1.0/3600, 3)
		return &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !limiter.Allow() {
				w.Header().Set("Retry-After", "3600")
				http.Error(w, "slow down", http.StatusTooManyRequests)
				return
			}
			hello(w, r)
		})}
	}, []both.Request{both.Get(200, "/"), both.Post(200, "/", "x"), both.Head(200, "/"), both.Get(429, "/"), both.Post(429, "/", "x")})
}
