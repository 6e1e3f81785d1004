// Package testservice is a service for tests: grpc.testing.TestService of gRPC's interop tests, as simple as it can be.
package testservice

import (
	"context"
	"io"

	testpb "google.golang.org/grpc/interop/grpc_testing"
)

// Service implements TestService. Its responses are what the requests ask for.
type Service struct {
	testpb.UnimplementedTestServiceServer
}

// EmptyCall responds with nothing.
func (Service) EmptyCall(context.Context, *testpb.Empty) (*testpb.Empty, error) {
	return new(testpb.Empty), nil
}

// UnaryCall responds with the payload of the request.
func (Service) UnaryCall(_ context.Context, req *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{Payload: req.Payload}, nil
}

// StreamingOutputCall sends a payload of each size that is asked for.
func (Service) StreamingOutputCall(req *testpb.StreamingOutputCallRequest, s testpb.TestService_StreamingOutputCallServer) error {
	return send(req, s)
}

func send(req *testpb.StreamingOutputCallRequest, s interface {
	Send(*testpb.StreamingOutputCallResponse) error
}) error {
	for _, p := range req.ResponseParameters {
		if err := s.Send(&testpb.StreamingOutputCallResponse{Payload: &testpb.Payload{Body: make([]byte, p.Size)}}); err != nil {
			return err
		}
	}
	return nil
}

// StreamingInputCall responds with how many bytes it has received.
func (Service) StreamingInputCall(s testpb.TestService_StreamingInputCallServer) error {
	n := 0
	for {
		req, err := s.Recv()
		if err == io.EOF {
			return s.SendAndClose(&testpb.StreamingInputCallResponse{AggregatedPayloadSize: int32(n)})
		}
		if err != nil {
			return err
		}
		n += len(req.Payload.GetBody())
	}
}

// FullDuplexCall responds to each message as StreamingOutputCall does.
func (Service) FullDuplexCall(s testpb.TestService_FullDuplexCallServer) error {
	for {
		req, err := s.Recv()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = send(req, s)
		}
		if err != nil {
			return err
		}
	}
}
