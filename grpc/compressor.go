package grpc

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/servercall"
)

// SetSendCompressor makes the messages of the response to the call of ctx, a handler's context, be compressed by the
// compressor that is registered as name, or not at all if name is "identity". Without it they are compressed as those of
// the request. It must come before the first message and before SendHeader. It takes the place of the function of the same
// name in google.golang.org/grpc, which knows that package's own server only.
func SetSendCompressor(ctx context.Context, name string) error {
	c := servercall.FromContext(ctx)
	if c == nil {
		return errNoCall
	}
	return c.SetCompressor(name)
}

// ClientSupportedCompressors returns the names of the compressions that the client of the call of ctx accepts. It takes
// the place of the function of the same name in google.golang.org/grpc.
func ClientSupportedCompressors(ctx context.Context) ([]string, error) {
	c := servercall.FromContext(ctx)
	if c == nil {
		return nil, errNoCall
	}
	return c.Accepts(), nil
}

var errNoCall = status.Error(codes.Internal, "grpc: the context is not one of a handler")
