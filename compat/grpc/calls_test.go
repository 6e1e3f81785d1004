package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// service does what a request's payload says, and tells when a call that waits has begun, and when it has been given up.
type service struct {
	grpc_testing.UnimplementedTestServiceServer
	begun chan bool
	gone  chan error
}

func newService() *service { return &service{begun: make(chan bool, 100), gone: make(chan error, 100)} }

func (s *service) UnaryCall(ctx context.Context, in *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error) {
	switch string(in.Payload.GetBody()) {
	case "fail":
		grpc.SetTrailer(ctx, metadata.Pairs("x-why", "because"))
		return nil, status.Error(codes.FailedPrecondition, "not now: 100 % \"no\"\n")
	case "wait":
		s.begun <- true
		<-ctx.Done()
		s.gone <- ctx.Err()
		return nil, ctx.Err()
	}
	return &grpc_testing.SimpleResponse{Payload: in.Payload}, nil
}

func (s *service) FullDuplexCall(stream grpc.BidiStreamingServer[grpc_testing.StreamingOutputCallRequest, grpc_testing.StreamingOutputCallResponse]) error {
	for {
		in, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&grpc_testing.StreamingOutputCallResponse{Payload: in.Payload}); err != nil {
			return err
		}
	}
}

// run has test call the service on every server over both carriers.
func run(t *testing.T, test func(t *testing.T, tc grpc_testing.TestServiceClient, own *service)) {
	t.Helper()
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			own := newService()
			s := grpc.NewServer()
			grpc_testing.RegisterTestServiceServer(s, own)
			both.Run(t, s, func(t *testing.T, site *both.Site) {
				test(t, grpc_testing.NewTestServiceClient(dial(t, site)), own)
			}, c.options...)
		})
	}
}

func request(body []byte) *grpc_testing.SimpleRequest {
	return &grpc_testing.SimpleRequest{Payload: &grpc_testing.Payload{Body: body}}
}

// A message of up to 4 MiB, the default limit, passes, and a longer one is refused.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, tc grpc_testing.TestServiceClient, _ *service) {
		for _, n := range []int{0, 1, 16383, 16384, 65535, 1 << 20, 4<<20 - 100} {
			body := bytes.Repeat([]byte{byte(n), 'x', 0}, n/3+1)[:n]
			out, err := tc.UnaryCall(t.Context(), request(body))
			if err != nil || !bytes.Equal(out.Payload.GetBody(), body) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		_, err := tc.UnaryCall(t.Context(), request(make([]byte, 4<<20+1)))
		if status.Code(err) != codes.ResourceExhausted {
			t.Errorf("a message that is too long: %v", err)
		}
		if _, err = tc.UnaryCall(t.Context(), request(nil)); err != nil {
			t.Errorf("the call behind it: %v", err)
		}
	})
}

// A status without a message arrives in one block of fields, which is head and trailers at once.
func TestErrors(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, tc grpc_testing.TestServiceClient, _ *service) {
		var trailer metadata.MD
		_, err := tc.UnaryCall(t.Context(), request([]byte("fail")), grpc.Trailer(&trailer))
		if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != "not now: 100 % \"no\"\n" {
			t.Errorf("got %v", err)
		}
		if fmt.Sprint(trailer["x-why"]) != "[because]" {
			t.Errorf("the trailers are %v", trailer)
		}
	})
}

// The handler learns of a deadline, and of a client that cancels.
func TestDeadlinesAndCancellation(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, tc grpc_testing.TestServiceClient, own *service) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // in which a call begins
		defer cancel()
		if _, err := tc.UnaryCall(ctx, request([]byte("wait"))); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("a deadline: %v", err)
		}
		both.Receive(t, own.begun, "the handler")
		if err := both.Receive(t, own.gone, "the handler's end"); err == nil {
			t.Error("the handler's context has no error")
		}
		ctx, cancel = context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := tc.UnaryCall(ctx, request([]byte("wait")))
			failed <- err
		}()
		for range 20 {
			if _, err := tc.UnaryCall(t.Context(), request(nil)); err != nil {
				t.Errorf("a call beside it: %v", err)
			}
		}
		both.Receive(t, own.begun, "the handler")
		cancel()
		if err := both.Receive(t, failed, "the end of a call"); status.Code(err) != codes.Canceled {
			t.Errorf("a call that was given up: %v", err)
		}
		both.Receive(t, own.gone, "the handler's end")
	})
}

// Many calls at once on one connection get their own responses.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, tc grpc_testing.TestServiceClient, _ *service) {
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				body := bytes.Repeat([]byte{byte(i)}, 10_000)
				for range 5 {
					out, err := tc.UnaryCall(t.Context(), request(body))
					if err != nil || !bytes.Equal(out.Payload.GetBody(), body) {
						t.Errorf("call %d: %v", i, err)
						return
					}
				}
				if err := converse(t, tc, body[:100]); err != nil {
					t.Errorf("stream %d: %v", i, err)
				}
			})
		}
		all.Wait()
	})
}

// converse sends messages, each after the response to the one before, and ends the stream.
func converse(t *testing.T, tc grpc_testing.TestServiceClient, body []byte) error {
	stream, err := tc.FullDuplexCall(t.Context())
	if err != nil {
		return err
	}
	for range 10 {
		if err := stream.Send(&grpc_testing.StreamingOutputCallRequest{Payload: &grpc_testing.Payload{Body: body}}); err != nil {
			return err
		}
		out, err := stream.Recv()
		if err != nil {
			return err
		}
		if !bytes.Equal(out.Payload.GetBody(), body) {
			return errors.New("other bytes came back")
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("after the end: %v", err)
	}
	return nil
}
