package grpc

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// carriers are the two ways to HTTP/2.
var carriers = []struct {
	name    string
	options []both.Option
}{
	{"h2c", []both.Option{both.HTTP2}},
	{"tls", []both.Option{both.HTTP2, both.TLS}},
}

// handler is grpc-go's server with the service of its interop suite.
func handler() http.Handler {
	s := grpc.NewServer()
	grpc_testing.RegisterTestServiceServer(s, interop.NewTestServer())
	return s
}

// dial connects a client of grpc-go, until the test ends.
func dial(t *testing.T, s *both.Site) *grpc.ClientConn {
	t.Helper()
	creds := insecure.NewCredentials()
	if s.URL[:5] == "https" {
		conf := s.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
		conf.ServerName = both.Host
		creds = credentials.NewTLS(conf)
	}
	cc, err := grpc.NewClient("passthrough:///"+s.Addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cc.Close() })
	return cc
}

// cases are those of the interop suite that need nothing but a server.
var cases = []struct {
	name string
	play func(ctx context.Context, tc grpc_testing.TestServiceClient, args ...grpc.CallOption)
}{
	{"empty_unary", interop.DoEmptyUnaryCall},
	{"large_unary", interop.DoLargeUnaryCall},
	{"client_streaming", interop.DoClientStreaming},
	{"server_streaming", interop.DoServerStreaming},
	{"ping_pong", interop.DoPingPong},
	{"empty_stream", interop.DoEmptyStream},
	{"timeout_on_sleeping_server", interop.DoTimeoutOnSleepingServer},
	{"cancel_after_begin", interop.DoCancelAfterBegin},
	{"cancel_after_first_response", interop.DoCancelAfterFirstResponse},
	{"custom_metadata", interop.DoCustomMetadata},
	{"status_code_and_message", interop.DoStatusCodeAndMessage},
	{"special_status_message", interop.DoSpecialStatusMessage},
}

// cancelAfterBegin is interop.DoCancelAfterBegin against net/http's server, where it loses now and then: it cancels, ends what
// it sends, and gets its response before grpc-go's client has seen that it has cancelled.
func cancelAfterBegin(ctx context.Context, tc grpc_testing.TestServiceClient, args ...grpc.CallOption) {
	var said fatal
	for range 5 {
		if said = fatalIn(func() { interop.DoCancelAfterBegin(ctx, tc, args...) }); said == "" {
			return
		}
	}
	panic(said)
}

// The cases of grpc-go's interoperability tests pass.
func TestInterop(t *testing.T) {
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			both.Run(t, handler(), func(t *testing.T, s *both.Site) {
				cc := dial(t, s)
				tc := grpc_testing.NewTestServiceClient(cc)
				ctx, cancel := context.WithTimeout(t.Context(), 2*both.Patience)
				defer cancel()
				for _, one := range cases {
					if one.name == "cancel_after_begin" && strings.HasSuffix(t.Name(), "/net-http") {
						one.play = cancelAfterBegin
					}
					t.Run(one.name, func(t *testing.T) { catch(t, func() { one.play(ctx, tc) }) })
				}
				t.Run("unimplemented_service", func(t *testing.T) {
					catch(t, func() { interop.DoUnimplementedService(ctx, grpc_testing.NewUnimplementedServiceClient(cc)) })
				})
				t.Run("unimplemented_method", func(t *testing.T) { catch(t, func() { interop.DoUnimplementedMethod(ctx, cc) }) })
			}, c.options...)
		})
	}
}
