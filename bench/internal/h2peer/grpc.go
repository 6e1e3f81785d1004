package h2peer

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// PathUnary is the path of the unary gRPC call. Its request and its response are the greeting as a message.
const PathUnary = "/grpc.testing.TestService/UnaryCall"

// service gives every call the same response.
type service struct {
	grpc_testing.UnimplementedTestServiceServer
}

func (service) UnaryCall(context.Context, *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error) {
	return response(), nil
}

func response() *grpc_testing.SimpleResponse {
	return &grpc_testing.SimpleResponse{Payload: &grpc_testing.Payload{Body: peer.Greeting}}
}

// calls is the gRPC server. It serves calls as an http.Handler or on its own transport.
var calls = newCalls()

func newCalls(options ...grpc.ServerOption) *grpc.Server {
	s := grpc.NewServer(options...)
	grpc_testing.RegisterTestServiceServer(s, service{})
	return s
}

func serveGRPC(l net.Listener, conf *tls.Config) error {
	if conf != nil {
		return newCalls(grpc.Creds(credentials.NewTLS(conf))).Serve(l)
	}
	return calls.Serve(l)
}

// Call returns the body of a call and of its response. The caller may change both.
func Call() (request, reply []byte) {
	in := &grpc_testing.SimpleRequest{Payload: &grpc_testing.Payload{Body: peer.Greeting}}
	return message(in), message(response())
}

// message encodes m after the gRPC prefix: a byte for "not compressed", and the length.
func message(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b))), b...)
}
