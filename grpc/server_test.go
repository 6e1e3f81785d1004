package grpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/shockwave-go/shockwave/grpc"
	"github.com/shockwave-go/shockwave/grpc/internal/testservice"
)

// serve serves s on a port of its own and returns a client of grpc-go.
func serve(t *testing.T, s *grpc.Server) testpb.TestServiceClient {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	testpb.RegisterTestServiceServer(s, testservice.Service{})
	go s.Serve(l)
	t.Cleanup(s.Stop)
	cc, err := googlegrpc.NewClient(l.Addr().String(), googlegrpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cc.Close() })
	return testpb.NewTestServiceClient(cc)
}

// The four kinds of calls work with the client of grpc-go.
func TestKindsOfCalls(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c := serve(t, grpc.NewServer())
	res, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: &testpb.Payload{Body: []byte("ping")}})
	if err != nil || string(res.Payload.Body) != "ping" {
		t.Fatalf("unary: got %v, %v", res, err)
	}
	out, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{ResponseParameters: []*testpb.ResponseParameters{{Size: 1}, {Size: 100000}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 100000} {
		if m, err := out.Recv(); err != nil || len(m.Payload.Body) != want {
			t.Fatalf("server stream: got %d bytes, %v, want %d", len(m.GetPayload().GetBody()), err, want)
		}
	}
	in, err := c.StreamingInputCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := in.Send(&testpb.StreamingInputCallRequest{Payload: &testpb.Payload{Body: make([]byte, 50000)}}); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := in.CloseAndRecv(); err != nil || m.AggregatedPayloadSize != 150000 {
		t.Fatalf("client stream: got %v, %v", m, err)
	}
	both, err := c.FullDuplexCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		both.Send(&testpb.StreamingOutputCallRequest{ResponseParameters: []*testpb.ResponseParameters{{Size: int32(i)}}})
		if m, err := both.Recv(); err != nil || len(m.Payload.Body) != i {
			t.Fatalf("both ways: got %v, %v, want %d bytes", m, err, i)
		}
	}
}
