package server

import (
	"log/slog"
	"net"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
)

// behaviour is how a server behaves where the RFCs leave a choice. There are two values: defaultBehaviour, and
// netHTTPBehaviour for clients and handlers that expect what net/http's server does. A server's behaviour never
// changes.
type behaviour struct {
	quirks quirks

	// refusalStatus returns the status and text of a refusal.
	refusalStatus func(e *http1.Error) (status int, why string)
	// reason returns the reason phrase of a status; "" means RFC 9110's.
	reason func(code int) string
	// refusal appends the fields and the text of a refusal.
	refusal func(dst []byte, status int, why string) []byte
	// logHandshakeError logs a failed TLS handshake.
	logHandshakeError func(log *slog.Logger, remote net.Addr, err error)

	plainHTTP string       // response to plain HTTP on a TLS port; "" means a refusal
	cutHead   *http1.Error // for a client that closes within a head; nil: no response (RFC 9112 §8 allows both)
	slowHead  *http1.Error // for a client that is too slow with a head; nil: no response
}

// quirks is a set of deviations from the default behaviour.
type quirks uint16

const (
	connectToPaths          quirks = 1 << iota // CONNECT to a path is accepted: http1.Request.TunnelPaths
	echoesHTTP10                               // HTTP/1.0 is answered in HTTP/1.0, which implies that the connection closes
	alwaysSends100                             // 100 Continue is sent even if the body has already arrived
	identityMeansClose                         // with Transfer-Encoding: identity the end of the connection ends the body
	alwaysSendsTrailerField                    // a Trailer field is sent whether or not there can be trailers
	closesUnreadDuplex                         // a body left unread in full duplex closes the connection
	quietGoexit                                // runtime.Goexit in a handler closes the connection without a log line
	omitsStreamedLength                        // HEAD gets no length where GET's response would have been streamed
	omitsDateOn5xx                             // a refusal with a 5xx status has no Date: RFC 9110 §6.6.1 lets a server choose
	sendsCodings                               // transfer codings that a handler says it has applied are sent before chunked
	rejectsUnknownALPN                         // an unknown ALPN protocol closes the connection; otherwise HTTP/1 is tried
	fieldsFirst                                // the handler's fields come before Date and the framing fields
)

// has reports whether h contains one.
func (h quirks) has(one quirks) bool { return h&one != 0 }

// behaviourFor returns the behaviour that cfg asks for.
func behaviourFor(cfg *Config) *behaviour {
	if cfg.NetHTTP {
		return &netHTTPBehaviour
	}
	return &defaultBehaviour
}

// defaultBehaviour is the behaviour of a server without Config.NetHTTP.
var defaultBehaviour = behaviour{
	refusalStatus:     func(e *http1.Error) (int, string) { return e.Status, e.Msg },
	reason:            func(int) string { return "" },
	refusal:           appendPlainRefusal,
	logHandshakeError: logHandshakeDebug,
	slowHead:          errSlowHead,
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
