// Package grpc serves and calls gRPC services over Shockwave's HTTP. The code that protoc-gen-go-grpc generates works
// unchanged: a Server is a grpc.ServiceRegistrar, a Client a grpc.ClientConnInterface.
//
// Services share a port with everything else that a server serves: Server.Native is a handler for package server, and a
// Server itself a handler for nethttp and net/http. The functions that make options have the names that they have in
// google.golang.org/grpc, whose types for metadata, statuses, codecs, interceptors and call options are used throughout.
//
// The module depends on google.golang.org/grpc for these types alone. Its transport is not used.
package grpc
