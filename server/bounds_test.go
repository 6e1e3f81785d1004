package server_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// A handler that writes to a client which reads nothing, or reads from one which sends nothing, gets an error after the
// time that Config or the handler has set.
func TestBoundsAreKept(t *testing.T) {
	const bound = 200 * time.Millisecond
	failed := make(chan error)
	writes := func(w *server.ResponseWriter, _ *server.Request) {
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				failed <- err
				return
			}
		}
	}
	reads := func(_ *server.ResponseWriter, r *server.Request) {
		_, err := r.Body()
		failed <- err
	}
	for name, cfg := range map[string]server.Config{
		"WriteTimeout": {WriteTimeout: bound, Handler: server.HandlerFunc(writes)},
		"SetWriteDeadline": {Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.SetWriteDeadline(time.Now().Add(bound))
			writes(w, r)
		})},
		"ReadTimeout": {ReadTimeout: bound, Handler: server.HandlerFunc(reads)},
		"SetReadDeadline": {Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.SetReadDeadline(time.Now().Add(bound))
			reads(w, r)
		})},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, cfg)
			wait := func() { wiretest.Within(t, "the handler's error", failed) }
			wiretest.InTime(t, bound, func() func() {
				k := f.talk(t)
				return func() {
					k.Send(post("Content-Length: 5\r\n", ""))
					wait()
				}
			})
			wiretest.InTime(t, bound, func() func() {
				k := f.h2(t)
				return func() {
					k.post(1, "/")
					wait()
				}
			})
		})
	}
}
