package websocket

import (
	"errors"
	"slices"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// MessageType says what a message is (RFC 6455 §5.6).
type MessageType uint8

// The types of messages.
const (
	TextMessage   = MessageType(wsframe.Text)   // UTF-8, which is checked on the way in
	BinaryMessage = MessageType(wsframe.Binary) // bytes
)

// String returns "text" or "binary".
func (t MessageType) String() string { return wsframe.Opcode(t).String() }

// check refuses a type that no message can have.
func (t MessageType) check() error {
	if t == TextMessage || t == BinaryMessage {
		return nil
	}
	return errType
}

// Message is one message. Data is the holder's.
type Message struct {
	Type MessageType
	Data []byte
}

// CloseCode says why a connection ends (RFC 6455 §7.4). Codes from 3000 are for libraries and frameworks to register,
// codes from 4000 to 4999 for applications to agree on.
type CloseCode = wsframe.CloseCode

// The close codes of RFC 6455 §7.4.1 and of the registry that its §11.7 founds.
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

// ProtocolError is a broken rule of RFC 6455 or RFC 7692, with the close code that answers it and the section that has
// the rule. Its Blame tells who broke it.
type ProtocolError = wsframe.Error

// CloseError is what reading ends with when the peer has closed (RFC 6455 §7.1.5, §7.1.6). Code is CloseNoStatus if its
// close frame gave none.
type CloseError struct {
	Code   CloseCode
	Reason string
}

// Error returns the code and the reason.
func (e *CloseError) Error() string {
	s := "websocket: closed by the peer: " + e.Code.String()
	if e.Reason != "" {
		s += ": " + strconv.Quote(e.Reason)
	}
	return s
}

// CloseStatus returns the code with which the peer has closed, if that is what err tells, else 0.
func CloseStatus(err error) CloseCode {
	var ce *CloseError
	if errors.As(err, &ce) {
		return ce.Code
	}
	return 0
}

// IsCloseError reports whether err says that the peer has closed with one of codes.
func IsCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && slices.Contains(codes, ce.Code)
}

// IsUnexpectedCloseError reports whether err says that the peer has closed, and with none of codes.
func IsUnexpectedCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && !slices.Contains(codes, ce.Code)
}

var (
	// ErrSilent means that the peer gave no sign of life within twice Config.PingInterval.
	ErrSilent = errors.New("websocket: the peer is silent")
	// ErrTooBig means that a message of the peer was longer than Config.ReadLimit.
	ErrTooBig = errors.New("websocket: message longer than the read limit")
	// ErrSlowPeer means that CloseWhenSlow has ended the connection.
	ErrSlowPeer = errors.New("websocket: the peer is too slow")

	// ErrDropped means that a message was not sent because the peer is slow, as Config.Slow wants it.
	ErrDropped = errors.New("websocket: dropped because the peer is slow")

	errPanicked  = errors.New("websocket: a callback has panicked")
	errCallbacks = errors.New("websocket: messages of this connection go to Config.OnMessage")
	errType      = &ProtocolError{Code: CloseProtocolError, Who: shockwave.Local, Rule: "RFC 6455 §5.6", Msg: "message that is neither text nor binary: Close and Ping send control frames"}
	errText      = &ProtocolError{Code: CloseInvalidPayload, Rule: "RFC 6455 §8.1", Msg: "text that is not UTF-8"}
	errInflate   = &ProtocolError{Code: CloseInvalidPayload, Rule: "RFC 7692 §7.2.2", Msg: "compressed message that cannot be decompressed"}
)
