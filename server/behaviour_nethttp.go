package server

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
)

// netHTTPManners are those of net/http's server, where they are harmless: Config.NetHTTP.
var netHTTPBehaviour = behaviour{
	quirks: connectToPaths | echoesHTTP10 | alwaysSends100 | identityMeansClose | alwaysSendsTrailerField | closesUnreadDuplex |
		omitsStreamedLength | quietGoexit | omitsDateOn5xx | sendsCodings |
		rejectsUnknownALPN | fieldsFirst,
	refusalStatus:     netHTTPRefusalStatus,
	reason:            netHTTPReason,
	refusal:           appendNetHTTPRefusal,
	logHandshakeError: logHandshakeWarn,
	plainHTTP:         "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
	cutHead:           errHeadCut,
}

// errHeadCut is for a client that ends its half of the connection within a head.
var errHeadCut = &http1.Error{Status: 400, Rule: "RFC 9112 §8", Msg: "the request ended within its head"}

// unsupportedCoding is all that net/http says of a transfer coding that it does not apply.
const unsupportedCoding = "Unsupported transfer encoding"

// netHTTPVerdict: net/http knows one status for a head that is too large, whatever part of it is (RFC 6585 §5), and one
// for every transfer coding that it does not apply.
func netHTTPRefusalStatus(e *http1.Error) (int, string) {
	switch {
	case e.Status == http.StatusRequestURITooLong:
		return http.StatusRequestHeaderFieldsTooLarge, e.Msg
	case http1.AboutCoding(e):
		return http.StatusNotImplemented, unsupportedCoding
	}
	return e.Status, e.Msg
}

// netHTTPReason: four statuses have older words in net/http than in RFC 9110 §15.
func netHTTPReason(code int) string {
	switch code {
	case 413, 414, 416, 422:
		return http.StatusText(code)
	}
	return ""
}

// appendNetHTTPRefusal names the status in the text, too, which the end of the connection ends.
func appendNetHTTPRefusal(dst []byte, status int, why string) []byte {
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"...)
	if why == unsupportedCoding {
		return append(dst, why...)
	}
	dst = strconv.AppendInt(dst, int64(status), 10)
	return append(dst, " "+http.StatusText(status)+": "+why...)
}

// warnHandshake tells of it in net/http's words, where others can see it.
func logHandshakeWarn(log *slog.Logger, remote net.Addr, err error) {
	log.Warn("TLS handshake error from " + remote.String() + ": " + err.Error())
}
