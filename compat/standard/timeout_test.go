package standard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TimeoutHandler responds with 503 when its time is over, ends the handler's context, and refuses later writes.
func TestTimeoutHandlerLate(t *testing.T) {
	t.Parallel()
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Lost", "yes")
			<-r.Context().Done()
			for {
				if _, err := io.WriteString(w, "late"); errors.Is(err, http.ErrHandlerTimeout) {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}), 20*time.Millisecond, "too late")}
	}, func(t *testing.T, s *both.Site) []both.Exchange {
		return []both.Exchange{s.Do(t, both.Get(503, "/")), s.Do(t, both.Post(503, "/", "some body"))}
	})
}

// A handler that is in time responds through TimeoutHandler as without it.
func TestTimeoutHandlerInTime(t *testing.T) {
	t.Parallel()
	h := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		_, deadline := r.Context().Deadline()
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusAccepted)
		n, err := io.Copy(w, r.Body)
		fmt.Fprintln(w, n, err, flusher, hijacker, deadline)
	}), time.Minute, "")
	both.Same(t, h, []both.Request{
		both.Get(202, "/"), both.Head(202, "/"), both.Post(202, "/", "text"), both.Get(202, "/"),
	}, both.AnyFraming)
}

// A panic passes through TimeoutHandler to the server.
func TestTimeoutHandlerPanic(t *testing.T) {
	t.Parallel()
	h := http.TimeoutHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}), time.Minute, "")
	both.Same(t, h, []both.Request{both.Get(0, "/")})
}
