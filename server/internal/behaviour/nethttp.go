package behaviour

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// NetHTTP copies net/http's server where that is harmless. Package nethttp selects it.
var NetHTTP = Behaviour{
	Quirks: ConnectToPaths | EchoesHTTP10 | AlwaysSends100 | IdentityMeansClose | AlwaysSendsTrailerField | ClosesUnreadDuplex |
		OmitsStreamedLength | QuietGoexit | OmitsDateOn5xx | SendsCodings |
		RejectsUnknownALPN | FieldsFirst,
	RefusalStatus:     netHTTPRefusalStatus,
	Reason:            netHTTPReason,
	Refusal:           appendNetHTTPRefusal,
	LogHandshakeError: logHandshakeWarn,
	PlainHTTP:         "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
	CutHead:           errHeadCut,
}

// errHeadCut is the response to a client that closes its side of the connection within a head.
var errHeadCut = &http1.Error{Status: 400, Violation: shockwave.Violation{Rule: "RFC 9112 §8", Msg: "the request ended within its head"}}

// unsupportedCoding is net/http's whole text about a transfer coding that it does not support.
const unsupportedCoding = "Unsupported transfer encoding"

// netHTTPRefusalStatus returns the status and text of a refusal. net/http has one status for a head of which any part
// is too large (RFC 6585 §5), and one for every transfer coding that it does not support.
func netHTTPRefusalStatus(e *http1.Error) (int, string) {
	switch {
	case e.Status == http.StatusRequestURITooLong:
		return http.StatusRequestHeaderFieldsTooLarge, e.Msg
	case http1.AboutCoding(e):
		return http.StatusNotImplemented, unsupportedCoding
	}
	return e.Status, e.Msg
}

// netHTTPReason returns net/http's reason phrase for the four statuses where it is older than RFC 9110 §15.
func netHTTPReason(code int) string {
	switch code {
	case 413, 414, 416, 422:
		return http.StatusText(code)
	}
	return ""
}

// appendNetHTTPRefusal appends fields without a Content-Length, and a body that includes the status. The end of the
// connection ends the body.
func appendNetHTTPRefusal(dst []byte, status int, why string) []byte {
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"...)
	if why == unsupportedCoding {
		return append(dst, why...)
	}
	dst = strconv.AppendInt(dst, int64(status), 10)
	return append(dst, " "+http.StatusText(status)+": "+why...)
}

// logHandshakeWarn logs in net/http's words, at a level at which they are visible.
func logHandshakeWarn(log *slog.Logger, remote net.Addr, err error) {
	log.Warn("TLS handshake error from " + remote.String() + ": " + err.Error())
}
