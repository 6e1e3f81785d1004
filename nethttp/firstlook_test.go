package nethttp_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// looks are the ways to check a context. Each returns its error, or nil if the context has not ended.
var looks = map[string]func(ctx context.Context) error{
	"Err":   context.Context.Err,
	"Cause": context.Cause,
	"Done":  lookAtDone,
	"WithTimeout": func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		return lookAtDone(ctx)
	},
	"WithCancelCause": func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		return context.Cause(ctx)
	},
	"WithValue": func(ctx context.Context) error { return context.WithValue(ctx, keyOfLooks{}, 1).Err() },
	"AfterFunc": func(ctx context.Context) error {
		called := make(chan bool)
		if stop := context.AfterFunc(ctx, func() { close(called) }); stop() {
			return nil
		}
		<-called
		return context.Canceled
	},
}

type keyOfLooks struct{}

func lookAtDone(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

// pathsOfLooks returns a path for each of looks.
func pathsOfLooks() (paths []string) {
	for name := range maps.Keys(looks) {
		paths = append(paths, "/"+name)
	}
	slices.Sort(paths)
	return paths
}

// arrivalTime is how long the kernel may take to report that a client has left. A test fails only after four times as
// long.
const arrivalTime = 10 * time.Millisecond

// A handler that checks its context for the first time learns that the client has left meanwhile. net/http reads from the
// start of the request, and is asked repeatedly until its result is right.
func TestTheFirstLookIsTrue(t *testing.T) {
	for _, k := range carriers {
		for how, leave := range leavings {
			if !k.leaves(how) {
				continue
			}
			t.Run(k.name+"/"+how, func(t *testing.T) {
				entered, left := make(chan bool), make(chan chan struct{}, 1)
				type sight struct {
					look string
					err  error
				}
				seen := make(chan sight)
				var ours bool
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					gone := <-left
					left <- gone
					entered <- true
					<-gone
					look := looks[r.URL.Path[1:]]
					err := look(r.Context())
					for err == nil && !ours {
						time.Sleep(time.Millisecond)
						err = look(r.Context())
					}
					seen <- sight{r.URL.Path, err}
				})
				k.onBoth(t, h, func(t *testing.T, s *served) {
					ours = s.ours
					for attempts := 4; ; attempts-- {
						gone := make(chan struct{})
						left <- gone
						a := s.ask(t, pathsOfLooks(), 0, "")
						for range looks {
							wiretest.Within(t, "a handler", entered)
						}
						leave(a)
						time.Sleep(arrivalTime)
						close(gone)
						missed := 0
						for range looks {
							switch got := wiretest.Within(t, "a look", seen); {
							case got.err == nil:
								missed++
							case got.err != context.Canceled:
								t.Errorf("%s: %v", got.look, got.err)
							}
						}
						<-left
						if missed == 0 {
							return
						}
						if t.Logf("%d of %d looks saw nothing", missed, len(looks)); attempts == 1 || missed == len(looks) {
							t.Fatal("looks that are the first say that the client is there")
						}
					}
				})
			})
		}
	}
}

// The first check of a context reports no error while the client waits for its response.
func TestTheFirstLookAtAClientThatWaits(t *testing.T) {
	for _, k := range carriers {
		t.Run(k.name, func(t *testing.T) {
			seen := make(chan error)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				err := looks[r.URL.Path[1:]](r.Context())
				for range 3 {
					if err == nil {
						err = r.Context().Err()
					}
				}
				seen <- err
			})
			k.onBoth(t, h, func(t *testing.T, s *served) {
				s.ask(t, pathsOfLooks(), 4, "body")
				for range looks {
					if err := wiretest.Within(t, "a look", seen); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
