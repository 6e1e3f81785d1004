package http2

import "github.com/shockwave-go/shockwave"

// Error is a broken rule of HTTP/2. Errors that this package returns are package-level values: they cost no allocation
// and must not be changed.
type Error struct {
	Code Code // what GOAWAY or RST_STREAM tells the peer
	Who  shockwave.Blame
	Rule string // "RFC 9113 §6.5"
	Msg  string
	// Name is for counters: a few words with underscores, of lower-case letters and digits. No two rules have the same. It is
	// empty where nobody broke one.
	Name string
}

// Error returns the message with its code and rule.
func (e *Error) Error() string {
	return "http2: " + e.Msg + " (" + e.Code.String() + ", " + e.Rule + ")"
}

// Blame says who broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference names the rule.
func (e *Error) Reference() string { return e.Rule }

// refuse declares a rule whose breach by the peer is answered with code.
func refuse(name string, code Code, rule, msg string) *Error {
	return &Error{Code: code, Who: shockwave.Peer, Rule: rule, Msg: msg, Name: name}
}

// local declares a reason for which this end does not do what its owner asked for.
func local(code Code, rule, msg string) *Error {
	return &Error{Code: code, Who: shockwave.Local, Rule: rule, Msg: msg}
}

// Why Conn.Open opens no stream. None of them is about what the peer did wrong: the request can go elsewhere.
var (
	ErrTooManyStreams = local(RefusedStream, "RFC 9113 §5.1.2", "the peer takes no more streams at once")
	ErrGoingAway      = local(RefusedStream, "RFC 9113 §6.8", "the connection takes no more streams")
	ErrStreamIDs      = local(RefusedStream, "RFC 9113 §5.1.1", "no stream identifiers are left")
)
