package grpc

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// brief is a service that ends a stream after its first message.
type brief struct {
	grpc_testing.UnimplementedTestServiceServer
}

func (brief) FullDuplexCall(stream grpc.BidiStreamingServer[grpc_testing.StreamingOutputCallRequest, grpc_testing.StreamingOutputCallResponse]) error {
	_, err := stream.Recv()
	return err
}

// ServeHTTP of grpc-go returns when the server ends a stream before the client has ended its side.
func TestServerEndsTheStreamFirst(t *testing.T) {
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			s := grpc.NewServer()
			grpc_testing.RegisterTestServiceServer(s, brief{})
			returned := make(chan bool, 10)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.ServeHTTP(w, r)
				returned <- true
			})
			both.Run(t, h, func(t *testing.T, site *both.Site) {
				stream, err := grpc_testing.NewTestServiceClient(dial(t, site)).FullDuplexCall(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := stream.Send(new(grpc_testing.StreamingOutputCallRequest)); err != nil {
					t.Fatal(err)
				}
				select {
				case <-returned:
				case <-time.After(20 * time.Second):
					t.Fatal("ServeHTTP does not return")
				}
				if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
					t.Errorf("the client is told %v", err)
				}
			}, c.options...)
		})
	}
}
