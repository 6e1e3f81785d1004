// Package grpc runs RPC servers of other projects as http.Handlers on net/http's server and on ours: grpc-go's by ServeHTTP,
// with the cases of its own interop suite, and connect's. The clients are those of grpc-go and connect, and Python's grpcio if
// it is installed. The interop cases are also played over a session of package tcpmux whose connections are cut all the time.
package grpc
