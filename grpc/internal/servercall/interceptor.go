package servercall

import (
	"context"

	"google.golang.org/grpc"
)

// ChainUnary returns one interceptor for several, of which the first is the outermost. It returns nil for none.
func ChainUnary(chain []grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	switch len(chain) {
	case 0:
		return nil
	case 1:
		return chain[0]
	}
	first, rest := chain[0], ChainUnary(chain[1:])
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		return first(ctx, req, info, func(ctx context.Context, req any) (any, error) { return rest(ctx, req, info, handler) })
	}
}

// ChainStream is ChainUnary for interceptors of streams.
func ChainStream(chain []grpc.StreamServerInterceptor) grpc.StreamServerInterceptor {
	switch len(chain) {
	case 0:
		return nil
	case 1:
		return chain[0]
	}
	first, rest := chain[0], ChainStream(chain[1:])
	return func(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return first(srv, s, info, func(srv any, s grpc.ServerStream) error { return rest(srv, s, info, handler) })
	}
}
