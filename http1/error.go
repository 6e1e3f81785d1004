package http1

import "github.com/shockwave-go/shockwave"

// Error is a violation of a rule of HTTP/1. The errors that parsers return are package-level values: they cost no
// allocation and must not be changed.
type Error struct {
	shockwave.Violation
	Status int // the status that a server responds with: 400, 414, 431, 501, 505
}

// Error returns the message and the rule.
func (e *Error) Error() string { return "http1: " + e.Msg + " (" + e.Rule + ")" }

// refuse returns an Error of the peer. status is the response to it.
func refuse(status int, rule, msg string) *Error {
	return &Error{Status: status, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

// The head as a whole.
var (
	errBareCR     = refuse(400, "RFC 9112 §2.2", "carriage return without line feed")
	errBareLF     = refuse(400, "RFC 9112 §2.2", "line feed without carriage return")
	errEmptyLines = refuse(400, "RFC 9112 §2.2", "too many empty lines before the request line")
	errHeadSize   = refuse(431, "RFC 6585 §5", "head too large")
	errFieldCount = refuse(431, "RFC 6585 §5", "too many field lines")
)

// Request line and status line.
var (
	errMethod       = refuse(400, "RFC 9110 §9.1", "method is not a token that a space follows")
	errMethodSize   = refuse(501, "RFC 9112 §3", "method too long")
	errTargetEmpty  = refuse(400, "RFC 9112 §3", "empty request-target or more than one space before it")
	errTargetByte   = refuse(400, "RFC 9112 §3.2", "byte that no request-target may hold")
	errTargetSize   = refuse(414, "RFC 9110 §15.5.15", "request-target too long")
	errTargetEscape = refuse(400, "RFC 3986 §2.1", "percent sign without two hexadecimal digits in the request-target")
	errFragment     = refuse(400, "RFC 9112 §3.2", "fragment in the request-target")
	errTargetForm   = refuse(400, "RFC 9112 §3.2", "request-target in none of the four forms")
	errTargetScheme = refuse(400, "RFC 9110 §4.2", "scheme of an absolute request-target is not http or https")
	errTargetHost   = refuse(400, "RFC 9110 §4.2", "absolute request-target without a valid authority")
	errHostEscape   = refuse(400, "RFC 9110 §4.2.3", "percent-encoding in the authority of an absolute request-target")
	errHostFuture   = refuse(400, "RFC 3986 §3.2.2", "address of an unknown kind in an absolute request-target")
	errConnect      = refuse(400, "RFC 9112 §3.2.3", "CONNECT without a host and port as its request-target")
	errAsterisk     = refuse(400, "RFC 9112 §3.2.4", "asterisk-form with a method other than OPTIONS")
	errNoVersion    = refuse(400, "RFC 9112 §3", "request line without a version")
	errVersion      = refuse(400, "RFC 9112 §2.3", "malformed HTTP version")
	errVersionTail  = refuse(400, "RFC 9112 §3", "bytes after the HTTP version")
	errMajor        = refuse(505, "RFC 9110 §15.6.6", "major version other than 1")
	errStatusCode   = refuse(400, "RFC 9112 §4", "malformed status code")
	errReason       = refuse(400, "RFC 9112 §4", "control byte in the reason phrase")
)

// Field lines.
var (
	errFold       = refuse(400, "RFC 9112 §5.2", "white space at the start of a field line")
	errSpaceColon = refuse(400, "RFC 9112 §5.1", "white space between field name and colon")
	errNameEmpty  = refuse(400, "RFC 9112 §5", "field line without a name")
	errName       = refuse(400, "RFC 9110 §5.1", "field name is not a token")
	errNoColon    = refuse(400, "RFC 9112 §5", "field line without a colon")
	errValue      = refuse(400, "RFC 9110 §5.5", "control byte in a field value")
)

// Host and framing.
var (
	errHostMissing = refuse(400, "RFC 9112 §3.2", "missing required Host header")
	errHostTwice   = refuse(400, "RFC 9112 §3.2", "more than one Host field")
	errHost        = refuse(400, "RFC 9112 §3.2", "invalid Host")
	errLength      = refuse(400, "RFC 9110 §8.6", "Content-Length is not one decimal number")
	errLengthTwice = refuse(400, "RFC 9112 §6.3", "more than one Content-Length")
	errLengthSize  = refuse(400, "RFC 9110 §8.6", "Content-Length too large for a number")
	errTwoFramings = refuse(400, "RFC 9112 §6.1", "both Transfer-Encoding and Content-Length")
	errCodingOld   = refuse(400, "RFC 9112 §6.1", "Transfer-Encoding in an HTTP/1.0 message")
	errCodingSyn   = refuse(400, "RFC 9112 §7", "malformed Transfer-Encoding")
	errCodingTwice = refuse(400, "RFC 9112 §6.1", "chunked applied more than once")
	errCodingLast  = refuse(400, "RFC 9112 §6.3", "chunked is not the final transfer coding")
	errCoding      = refuse(501, "RFC 9112 §6.1", "unknown transfer coding")
)

// Chunked bodies.
var (
	errChunkSize   = refuse(400, "RFC 9112 §7.1", "chunk size is not a hexadecimal number")
	errChunkHuge   = refuse(400, "RFC 9112 §7.1", "chunk size too large for a number")
	errChunkLine   = refuse(400, "RFC 9112 §7.1", "unexpected byte after the chunk size")
	errChunkExt    = refuse(400, "RFC 9112 §7.1.1", "malformed chunk extension")
	errChunkEnd    = refuse(400, "RFC 9112 §7.1", "chunk data is not followed by CRLF")
	errExtSize     = refuse(400, "RFC 9112 §7.1.1", "too many bytes of chunk extensions")
	errOverhead    = refuse(400, "RFC 9112 §7.1", "too much chunk framing for too little data")
	errTrailerSize = refuse(431, "RFC 9112 §7.1.2", "trailer section too large")
)
