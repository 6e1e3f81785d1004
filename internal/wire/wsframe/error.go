package wsframe

import "github.com/shockwave-go/shockwave"

// Error is a violation of a rule of WebSocket. Errors returned by this package are package-level variables: they cost no
// allocation and must not be changed.
type Error struct {
	shockwave.Violation
	Code CloseCode // the code of the close frame that answers it
}

// Error returns the message with its rule.
func (e *Error) Error() string { return "websocket: " + e.Msg + " (" + e.Rule + ")" }

// refuse returns the Error for a rule that only the peer can break.
func refuse(code CloseCode, rule, msg string) *Error {
	return &Error{Code: code, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

// either holds two Errors for a rule that both ends can break. The index is the end that broke it.
type either [2]*Error

// refuseEither returns the Errors for a rule that both ends can break.
func refuseEither(code CloseCode, rule, msg string) either {
	local := refuse(code, rule, msg)
	local.Who = shockwave.Local
	return either{shockwave.Peer: refuse(code, rule, msg), shockwave.Local: local}
}

// The header of a frame.
var (
	errOpcode        = refuseEither(CloseProtocolError, "RFC 6455 §5.2", "reserved opcode")
	errControlFin    = refuseEither(CloseProtocolError, "RFC 6455 §5.5", "fragmented control frame")
	errControlLength = refuseEither(CloseProtocolError, "RFC 6455 §5.5", "control frame with more than 125 bytes")
	errLengthForm    = refuse(CloseProtocolError, "RFC 6455 §5.2", "length is not in its shortest form")
	errLengthSign    = refuseEither(CloseProtocolError, "RFC 6455 §5.2", "length with its most significant bit set")
)

// The order of frames.
var (
	errAfterClose     = refuseEither(CloseProtocolError, "RFC 6455 §5.5.1", "frame after a close frame")
	errRSV            = refuseEither(CloseProtocolError, "RFC 6455 §5.2", "reserved bit without an extension that uses it")
	errRSVControl     = refuseEither(CloseProtocolError, "RFC 7692 §6", "compressed control frame")
	errRSVContinues   = refuseEither(CloseProtocolError, "RFC 7692 §6", "compression bit on a frame that is not the first of its message")
	errContinuesNone  = refuseEither(CloseProtocolError, "RFC 6455 §5.4", "continuation without a message to continue")
	errInterleaved    = refuseEither(CloseProtocolError, "RFC 6455 §5.4", "new message before the last one has ended")
	errEmptyFragments = refuseEither(ClosePolicyViolation, "RFC 6455 §10.4", "too many empty fragments in a row")
	errUnmasked       = refuseEither(CloseProtocolError, "RFC 6455 §5.1", "unmasked frame from a client")
	errMasked         = refuseEither(CloseProtocolError, "RFC 6455 §5.1", "masked frame from a server")
)

// The payload of a close frame.
var (
	errCloseShort    = refuse(CloseProtocolError, "RFC 6455 §5.5.1", "close frame with an incomplete close code")
	errCloseReserved = refuseEither(CloseProtocolError, "RFC 6455 §7.4.1", "reserved close code")
	errCloseRange    = refuseEither(CloseProtocolError, "RFC 6455 §7.4.2", "undefined close code")
	errCloseReason   = refuseEither(CloseInvalidPayload, "RFC 6455 §8.1", "close reason is not UTF-8")
)
