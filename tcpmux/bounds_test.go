package tcpmux

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Each wait for a peer that takes nothing and says nothing ends when its context or deadline ends.
func TestBoundsAreKept(t *testing.T) {
	const bound = 50 * time.Millisecond
	sendAll := func(ctx context.Context, x *Channel) (err error) {
		for err == nil {
			err = x.Send(ctx, make([]byte, 100_000))
		}
		return err
	}
	for name, call := range map[string]func(ctx context.Context, s *Session, x *Channel) error{
		"Send":    func(ctx context.Context, s *Session, x *Channel) error { return sendAll(ctx, x) },
		"Receive": func(ctx context.Context, s *Session, x *Channel) error { _, err := x.Receive(ctx); return err },
		"Flush": func(ctx context.Context, s *Session, x *Channel) error {
			if err := x.Send(ctx, nil); err != nil {
				return err
			}
			return x.Flush(ctx)
		},
		"Accept": func(ctx context.Context, s *Session, x *Channel) error { _, err := s.Accept(ctx); return err },
		"Ping":   func(ctx context.Context, s *Session, x *Channel) error { _, err := s.Ping(ctx); return err },
		"the write deadline": func(_ context.Context, s *Session, x *Channel) error {
			x.SetWriteDeadline(time.Now().Add(bound))
			return sendAll(context.Background(), x)
		},
		"the read deadline": func(_ context.Context, s *Session, x *Channel) error {
			x.SetReadDeadline(time.Now().Add(bound))
			_, err := x.Receive(context.Background())
			return err
		},
		"a stream's write deadline": func(_ context.Context, s *Session, x *Channel) error {
			nc := x.Conn()
			nc.SetWriteDeadline(time.Now().Add(bound))
			_, err := nc.Write(make([]byte, 100<<20))
			return err
		},
		"a stream's read deadline": func(_ context.Context, s *Session, x *Channel) error {
			nc := x.Conn()
			nc.SetReadDeadline(time.Now().Add(bound))
			_, err := nc.Read(make([]byte, 1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lonely(Config{})
			s.core.Attach(0, 1) // a connection that takes nothing
			defer s.Close()
			x, err := s.Open("x")
			if err != nil {
				t.Fatal(err)
			}
			wiretest.InTime(t, bound, func() func() {
				return func() {
					ctx, cancel := context.WithTimeout(t.Context(), bound)
					defer cancel()
					if err := call(ctx, s, x); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error(err)
					}
				}
			})
		})
	}
}
