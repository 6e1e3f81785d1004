// Package grpc runs other people's RPC servers as http.Handlers on net/http's server and on ours: grpc-go's by ServeHTTP,
// with the cases of its own interop suite, and connect's. Clients are those of grpc-go and connect, and Python's grpcio if
// it is there. Those cases are played over a session of package tcpmux as well, whose connections are cut all the time.
package grpc
