package http2

import "github.com/shockwave-go/shockwave"

// Error reports a broken rule of HTTP/2. The errors that this package returns are package-level variables: they cost no
// allocation and must not be modified.
type Error struct {
	shockwave.Violation
	Code ErrCode // sent to the peer in GOAWAY or RST_STREAM
	// Name is a unique name for counters: lower-case letters and digits, words separated by underscores. It is empty if
	// no rule was broken.
	Name string
}

// Error returns the message with its code and rule.
func (e *Error) Error() string {
	return "http2: " + e.Msg + " (" + e.Code.String() + ", " + e.Rule + ")"
}

// refuse returns the error of a peer that breaks a rule. code is what the peer is sent.
func refuse(name string, code ErrCode, rule, msg string) *Error {
	return &Error{Code: code, Name: name, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

// local returns the error of an operation that this side cannot do for its owner.
func local(code ErrCode, rule, msg string) *Error {
	return &Error{Code: code, Violation: shockwave.Violation{Who: shockwave.Local, Rule: rule, Msg: msg}}
}

// Errors of Conn.Open. The peer did nothing wrong, and the request can be sent on another connection.
var (
	ErrTooManyStreams = local(ErrCodeRefusedStream, "RFC 9113 §5.1.2", "the peer takes no more streams at once")
	ErrGoingAway      = local(ErrCodeRefusedStream, "RFC 9113 §6.8", "the connection takes no more streams")
	ErrStreamIDs      = local(ErrCodeRefusedStream, "RFC 9113 §5.1.1", "no stream identifiers are left")
)

// ErrHeadersTooLarge is returned by Conn.CheckHeaders: the peer would refuse the header section.
var ErrHeadersTooLarge = local(ErrCodeCancel, "RFC 9113 §10.5.1", "header section larger than the peer's SETTINGS_MAX_HEADER_LIST_SIZE")
