// Package behaviour says how a server behaves where the RFCs leave a choice.
package behaviour

import (
	"log/slog"
	"net"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// Behaviour is how a server behaves where the RFCs leave a choice. There are two values: Default, and NetHTTP for clients and handlers that expect what net/http's server does. A server's behaviour never
// changes.
type Behaviour struct {
	Quirks Quirks

	// RefusalStatus returns the status and text of a refusal.
	RefusalStatus func(e *http1.Error) (status int, why string)
	// Reason returns the reason phrase of a status; "" means RFC 9110's.
	Reason func(code int) string
	// Refusal appends the fields and the text of a refusal.
	Refusal func(dst []byte, status int, why string) []byte
	// LogHandshakeError logs a failed TLS handshake.
	LogHandshakeError func(log *slog.Logger, remote net.Addr, err error)

	PlainHTTP string       // response to plain HTTP on a TLS port; "" means a refusal
	CutHead   *http1.Error // for a client that closes within a head; nil: no response (RFC 9112 §8 allows both)
	SlowHead  *http1.Error // for a client that is too slow with a head; nil: no response
}

// Quirks is a set of deviations from the default behaviour.
type Quirks uint16

const (
	ConnectToPaths          Quirks = 1 << iota // CONNECT to a path is accepted: http1.Request.TunnelPaths
	EchoesHTTP10                               // HTTP/1.0 is answered in HTTP/1.0, which implies that the connection closes
	AlwaysSends100                             // 100 Continue is sent even if the body has already arrived
	IdentityMeansClose                         // with Transfer-Encoding: identity the end of the connection ends the body
	AlwaysSendsTrailerField                    // a Trailer field is sent whether or not there can be trailers
	ClosesUnreadDuplex                         // a body left unread in full duplex closes the connection
	QuietGoexit                                // runtime.Goexit in a handler closes the connection without a log line
	OmitsStreamedLength                        // HEAD gets no length where GET's response would have been streamed
	OmitsDateOn5xx                             // a refusal with a 5xx status has no Date: RFC 9110 §6.6.1 lets a server choose
	SendsCodings                               // transfer codings that a handler says it has applied are sent before chunked
	RejectsUnknownALPN                         // an unknown ALPN protocol closes the connection; otherwise HTTP/1 is tried
	FieldsFirst                                // the handler's fields come before Date and the framing fields
)

// Has reports whether h contains one.
func (h Quirks) Has(one Quirks) bool { return h&one != 0 }

// Default is the behaviour of a server that users configure.
var Default = Behaviour{
	RefusalStatus:     func(e *http1.Error) (int, string) { return e.Status, e.Msg },
	Reason:            func(int) string { return "" },
	Refusal:           appendPlainRefusal,
	LogHandshakeError: logHandshakeDebug,
	SlowHead:          errSlowHead,
}

// appendPlainRefusal appends fields with a Content-Length, and why as the body.
func appendPlainRefusal(dst []byte, _ int, why string) []byte {
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(why)+1), 10)
	dst = append(dst, "\r\nConnection: close\r\n\r\n"...)
	dst = append(dst, why...)
	return append(dst, '\n')
}

// logHandshakeDebug logs at level debug, because handshakes fail all the time on a port that the world can reach.
func logHandshakeDebug(log *slog.Logger, remote net.Addr, err error) {
	log.Debug("server: TLS handshake failed", "err", err, "remote", remote)
}

// errSlowHead is the response to a client that is too slow with a head.
var errSlowHead = &http1.Error{
	Status:    408,
	Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "RFC 9110 §15.5.9", Msg: "the request did not arrive in time"},
}
