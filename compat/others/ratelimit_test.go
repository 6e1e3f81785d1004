package others

import (
	"net/http"
	"testing"

	"golang.org/x/time/rate"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// A limiter lets three requests pass and refuses the others on both servers.
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
