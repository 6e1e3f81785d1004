package http3_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// A response is cut when its write deadline passes, even if the client takes everything at once, and a later deadline does not
// revive it.
func TestWriteDeadlinePassed(t *testing.T) {
	failed := make(chan error, 2)
	r := start(t, server.Config{WriteTimeout: 50 * time.Millisecond, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.Write([]byte("early"))
		w.Flush()
		if string(r.Path()) == "/past" {
			w.SetWriteDeadline(time.Now().Add(-time.Second))
		}
		var err error
		for late := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(late); time.Sleep(time.Millisecond) {
			w.Write([]byte("x"))
			err = w.Flush()
		}
		failed <- err
		w.SetWriteDeadline(time.Now().Add(time.Hour))
		w.Write([]byte("late"))
		failed <- w.Flush()
	})}, http3.Config{})
	for _, path := range []string{"/timeout", "/past"} {
		k := r.talk()
		k.uni(unhex(t, "00 0400"))
		if got := k.ask(unhex(t, "[:method GET|:scheme https|:authority a.test|:path "+path+"]"), true); got != "reset H3_INTERNAL_ERROR" {
			t.Errorf(`%s: got %q, want "reset H3_INTERNAL_ERROR"`, path, got)
		}
		for range 2 {
			if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if got := k.ask(unhex(t, "[:method GET|:scheme https|:authority a.test|:path /past]"), true); got != "reset H3_INTERNAL_ERROR" {
			t.Errorf("the connection goes on with %q", got)
		}
		<-failed
		<-failed
	}
}
