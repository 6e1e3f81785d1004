// Package clientconn implements a client's connections of HTTP/3, and the requests on them:
//
//	Conn: reserve ─► Begin ─► exchange ─┬─ HEADERS, DATA… ─► server
//	                                    └─ response: heads, content, trailer ─► carrier.ClientStream's user
//
// Package client opens them, and keeps them in a pool for requests.
package clientconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Config says how connections behave.
type Config struct {
	HeadBytes    int // of a response
	HeadFields   int
	Budget       int32         // of work without progress; a negative value is no limit
	IdleTimeout  time.Duration // 0 is for ever
	PingInterval time.Duration // a silence after which a server that has requests is asked; negative: never
	PingTimeout  time.Duration

	// ResetBy returns the error of a stream that the server has ended with a code, and ClosedBy that of a connection.
	ResetBy  func(code h3frame.Code) error
	ClosedBy func(code h3frame.Code, reason string) error
}
