package streamsock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// Recv and Shutdown return when their contexts end, and a peer that takes nothing is cut off after Config.Linger.
func TestBoundsAreKept(t *testing.T) {
	const bound = 200 * time.Millisecond
	bounded := func(f func(ctx context.Context)) {
		ctx, cancel := context.WithTimeout(t.Context(), bound)
		defer cancel()
		f(ctx)
	}
	for _, transport := range []string{"tcp", "ws"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			// A socket with a peer that takes nothing, and messages for it.
			deaf := func(linger time.Duration) *streamsock.Socket {
				s := newSocket(t, streamsock.Config{Linger: linger, Slow: streamsock.FailWhenSlow})
				dialRaw(t, bind(t, s, at(t, transport)), nil)
				p := wants(t, s, "connected 1")
				for err := error(nil); !errors.Is(err, streamsock.ErrQueueFull); {
					err = p.Send(make([]byte, 1<<20))
				}
				return s
			}
			closes := func(ctx context.Context, s *streamsock.Socket) {
				if n := unsent(s.Shutdown(ctx)); n == 0 {
					t.Error("all messages were sent to a peer that takes nothing")
				}
			}
			wiretest.InTime(t, bound, func() func() {
				s := deaf(time.Hour)
				return func() { bounded(func(ctx context.Context) { closes(ctx, s) }) }
			})
			wiretest.InTime(t, bound, func() func() {
				s := deaf(bound)
				return func() { closes(t.Context(), s) }
			})
			s := deaf(-1)
			wiretest.InTime(t, bound, func() func() {
				return func() {
					bounded(func(ctx context.Context) {
						if _, err := s.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
							t.Error(err)
						}
					})
				}
			})
		})
	}
}
