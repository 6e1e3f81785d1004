package servercall

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
)

// Exchange is the HTTP exchange that carries a call: a request and its response. One goroutine may read while another
// writes. Nothing of it may be used after the call.
type Exchange interface {
	// Method is the request's method, Path the path of its target.
	Method() []byte
	Path() []byte
	// Query is the query of the target.
	Query() []byte
	// HTTP1 reports whether the exchange is of HTTP/1.
	HTTP1() bool
	// Field returns the value of the first field called name, nil if there is none.
	Field(name string) []byte
	// Fields tells to each field of the request's head, its name in lower case, and the host as ":authority".
	Fields(to fieldSink)
	// Addrs returns the addresses of the connection, and its TLS state, nil without TLS.
	Addrs() (remote, local net.Addr, state *tls.ConnectionState)
	// Parent is a context whose values the call's context has, nil for none.
	Parent() context.Context
	// ConnValue is what the server of the connection knows of it: a *Conn, or something else.
	ConnValue() any

	// Read reads the request's body.
	Read(p []byte) (int, error)
	// Body reads the rest of the body, at most most bytes: more is a *http.MaxBytesError. The slice is valid while the
	// call runs.
	Body(most int64) ([]byte, error)
	// Stream lets the body be read without limits of size and pace while the response is written.
	Stream()
	// SetReadDeadline sets when reads fail. One that waits notices.
	SetReadDeadline(t time.Time) error

	// AddField adds to the head of the response, AddTrailer to its trailer section. SetStatus comes after the fields.
	SetStatus(code int)
	AddField(name, value string)
	AddTrailer(name, value string)
	// Write appends to the response's body, Push sends what was written soon.
	Write(p []byte) (int, error)
	Push() error
	// Fail is the whole response to a request that is no call.
	Fail(code int, text string)

	// OnClientGone arranges that f is called, on any goroutine but not within a method of the Exchange, when the client
	// has gone.
	OnClientGone(f func()) (stop func() bool)
}

// fieldSink takes the fields of a request's head. The slices are valid during the call of field.
type fieldSink interface {
	field(name, value []byte)
}

// Conn is what the calls of a connection have in common.
type Conn struct {
	Values   context.Context             // whose values the calls' contexts have; nil for none
	AuthInfo func() credentials.AuthInfo // of the connection's credentials
}
