package server

import (
	"log/slog"
	"net"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
)

// manners is how a server behaves where the RFCs leave a choice. There are two values: its own, and net/http's
// (asnethttp.go), for clients and handlers that expect what its server does. A server gets one for life.
type behaviour struct {
	quirks quirks

	refusalStatus     func(e *http1.Error) (status int, why string)      // what a refusal says
	reason            func(code int) string                              // words of a status line; "" is RFC 9110's
	refusal           func(dst []byte, status int, why string) []byte    // appends a refusal's fields and its text
	logHandshakeError func(log *slog.Logger, remote net.Addr, err error) // tells of a TLS handshake that failed
	plainHTTP         string                                             // the answer to plain HTTP on a port of TLS; "" is a refusal
	cutHead           *http1.Error                                       // for who ends within a head; nil: no answer (RFC 9112 §8 allows both)
	slowHead          *http1.Error                                       // for who takes too long for a head; nil: no answer
}

// habits is a set of what a server with other manners does not do.
type quirks uint16

const (
	connectToPaths          quirks = 1 << iota // CONNECT to a path is taken: http1.Request.TunnelPaths
	echoesHTTP10                               // HTTP/1.0 is answered in HTTP/1.0, which says by itself that the connection ends
	alwaysSends100                             // who expects 100 Continue is told so even if the body is here already
	identityMeansClose                         // Transfer-Encoding: identity has the end of the connection end the body
	alwaysSendsTrailerField                    // a Trailer field goes out whether or not there can be trailers
	closesUnreadDuplex                         // a body left in full duplex ends the connection; else a small rest is read
	quietGoexit                                // runtime.Goexit in a handler ends the connection in silence
	omitsStreamedLength                        // HEAD is told no length where GET's answer would have been streamed
	omitsDateOn5xx                             // a refusal for want of ability has no Date: RFC 9110 §6.6.1 lets a server choose
	sendsCodings                               // transfer codings that a handler says it has applied are sent before chunked
	rejectsUnknownALPN                         // what TLS has negotiated that nobody speaks is ended; else HTTP/1 is tried
	fieldsFirst                                // the handler's fields stand before Date and what frames the body
)

// has reports whether h is one of the habits.
func (h quirks) has(one quirks) bool { return h&one != 0 }

// mannersOf returns those that cfg asks for.
func behaviourFor(cfg *Config) *behaviour {
	if cfg.NetHTTP {
		return &netHTTPBehaviour
	}
	return &defaultBehaviour
}

// ownManners are those of a server that is told nothing else.
var defaultBehaviour = behaviour{
	refusalStatus:     func(e *http1.Error) (int, string) { return e.Status, e.Msg },
	reason:            func(int) string { return "" },
	refusal:           appendPlainRefusal,
	logHandshakeError: logHandshakeDebug,
	slowHead:          errSlowHead,
}

// appendPlainRefusal says why, with a length.
func appendPlainRefusal(dst []byte, _ int, why string) []byte {
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(why)+1), 10)
	dst = append(dst, "\r\nConnection: close\r\n\r\n"...)
	dst = append(dst, why...)
	return append(dst, '\n')
}

// debugHandshake is for who looks for trouble: handshakes fail all day on a port that the world can reach.
func logHandshakeDebug(log *slog.Logger, remote net.Addr, err error) {
	log.Debug("server: TLS handshake failed", "err", err, "remote", remote)
}
