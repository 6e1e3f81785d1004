package websocket

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// MessageType is the type of a message: text or binary (RFC 6455 §5.6).
type MessageType uint8

// The message types.
const (
	TextMessage   = MessageType(wsframe.Text)   // UTF-8 text; incoming text is checked
	BinaryMessage = MessageType(wsframe.Binary) // any bytes
)

// String returns "text" or "binary".
func (t MessageType) String() string { return wsframe.Opcode(t).String() }

// valid reports whether t is text or binary.
func (t MessageType) valid() bool { return t == TextMessage || t == BinaryMessage }

// Message is one message. Data belongs to the holder of the Message.
type Message struct {
	Type MessageType
	Data []byte
}

// CloseCode says why a connection ends (RFC 6455 §7.4). Codes 3000 to 3999 are registered by libraries and frameworks;
// applications may use 4000 to 4999 as they agree.
type CloseCode = wsframe.CloseCode

// The close codes of RFC 6455 §7.4.1 and of the registry created by §11.7.
const (
	CloseNormal             = wsframe.CloseNormal
	CloseGoingAway          = wsframe.CloseGoingAway
	CloseProtocolError      = wsframe.CloseProtocolError
	CloseUnsupportedData    = wsframe.CloseUnsupportedData
	CloseNoStatus           = wsframe.CloseNoStatus
	CloseAbnormal           = wsframe.CloseAbnormal
	CloseInvalidPayload     = wsframe.CloseInvalidPayload
	ClosePolicyViolation    = wsframe.ClosePolicyViolation
	CloseMessageTooBig      = wsframe.CloseMessageTooBig
	CloseMandatoryExtension = wsframe.CloseMandatoryExtension
	CloseInternalError      = wsframe.CloseInternalError
	CloseServiceRestart     = wsframe.CloseServiceRestart
	CloseTryAgainLater      = wsframe.CloseTryAgainLater
	CloseBadGateway         = wsframe.CloseBadGateway
)

// ProtocolError is a violation of RFC 6455 or RFC 7692. It has the close code to answer it with and the section that has
// the rule. Its Blame tells which end broke the rule.
type ProtocolError = wsframe.Error

// CloseError is the error of a read after the peer has closed the connection, or the connection has broken (RFC 6455 §7.1.5,
// §7.1.6). Code is CloseNoStatus if the peer's close frame had no code, and CloseAbnormal if the connection ended without a
// close frame. Then Unwrap returns why: io.ErrUnexpectedEOF if the stream has ended, or the error of the connection.
type CloseError struct {
	Code   CloseCode
	Reason string

	cause error // nil if a close frame has come
}

// Error returns the code, and the reason or the cause.
func (e *CloseError) Error() string {
	switch {
	case e.cause != nil:
		return "websocket: " + e.Code.String() + ": " + strings.TrimPrefix(e.cause.Error(), "websocket: ")
	case e.Reason != "":
		return "websocket: closed by the peer: " + e.Code.String() + ": " + strconv.Quote(e.Reason)
	}
	return "websocket: closed by the peer: " + e.Code.String()
}

// Unwrap returns the error with which the connection ended, nil if the peer has sent a close frame.
func (e *CloseError) Unwrap() error { return e.cause }

// CloseStatus returns the code of the *CloseError in err's chain, or 0 if there is none.
func CloseStatus(err error) CloseCode {
	var ce *CloseError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return 0
}

// IsCloseError reports whether err is a *CloseError with one of codes.
func IsCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && slices.Contains(codes, ce.Code)
}

// IsUnexpectedCloseError reports whether err is a *CloseError with a code that is not one of codes.
func IsUnexpectedCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && !slices.Contains(codes, ce.Code)
}

var (
	// ErrSilent means that nothing was received from the peer for twice Config.PingInterval.
	ErrSilent = errors.New("websocket: the peer is silent")
	// ErrTooBig means that a message of the peer was longer than Config.ReadLimit.
	ErrTooBig = errors.New("websocket: message longer than the read limit")
	// ErrSlowPeer means that the connection was closed because of CloseWhenSlow.
	ErrSlowPeer = errors.New("websocket: the peer is too slow")

	// ErrDropped means that a message was not sent because the peer is slow and Config.Slow says to drop it.
	ErrDropped = errors.New("websocket: dropped because the peer is slow")

	errPanicked  = errors.New("websocket: a callback has panicked")
	errCallbacks = errors.New("websocket: messages of this connection go to Config.OnMessage")
	errType      = &ProtocolError{Code: CloseProtocolError, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "RFC 6455 §5.6", Msg: "message that is neither text nor binary: Close and Ping send control frames"}}
	errText      = &ProtocolError{Code: CloseInvalidPayload, Violation: shockwave.Violation{Rule: "RFC 6455 §8.1", Msg: "text that is not UTF-8"}}
	errInflate   = &ProtocolError{Code: CloseInvalidPayload, Violation: shockwave.Violation{Rule: "RFC 7692 §7.2.2", Msg: "compressed message that cannot be decompressed"}}
)
