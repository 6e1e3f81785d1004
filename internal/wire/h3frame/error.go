package h3frame

import (
	"strconv"

	"github.com/shockwave-go/shockwave"
)

// Code is an error code, with which a stream or the connection ends (RFC 9114 §8.1).
type Code uint64

// The error codes.
const (
	NoError              Code = 0x100
	GeneralProtocolError Code = 0x101
	InternalError        Code = 0x102
	StreamCreationError  Code = 0x103
	ClosedCriticalStream Code = 0x104
	FrameUnexpected      Code = 0x105
	FrameError           Code = 0x106
	ExcessiveLoad        Code = 0x107
	IDError              Code = 0x108
	SettingsError        Code = 0x109
	MissingSettings      Code = 0x10a
	RequestRejected      Code = 0x10b
	RequestCancelled     Code = 0x10c
	RequestIncomplete    Code = 0x10d
	MessageError         Code = 0x10e
	ConnectError         Code = 0x10f
	VersionFallback      Code = 0x110
	DatagramError        Code = 0x33 // RFC 9297 §5.2

	SessionGone            Code = 0x170d7b68 // draft-ietf-webtrans-http3 §8.3: the stream's session has ended
	BufferedStreamRejected Code = 0x3994bd84 // too many streams wait for their session, or one for too long
)

var codeNames = [...]string{
	"H3_NO_ERROR", "H3_GENERAL_PROTOCOL_ERROR", "H3_INTERNAL_ERROR", "H3_STREAM_CREATION_ERROR", "H3_CLOSED_CRITICAL_STREAM",
	"H3_FRAME_UNEXPECTED", "H3_FRAME_ERROR", "H3_EXCESSIVE_LOAD", "H3_ID_ERROR", "H3_SETTINGS_ERROR", "H3_MISSING_SETTINGS",
	"H3_REQUEST_REJECTED", "H3_REQUEST_CANCELLED", "H3_REQUEST_INCOMPLETE", "H3_MESSAGE_ERROR", "H3_CONNECT_ERROR",
	"H3_VERSION_FALLBACK",
}

// String returns the name of RFC 9114 §8.1, RFC 9204 §6 or RFC 9297 §5.2, or the hexadecimal number if the code has none.
func (c Code) String() string {
	switch {
	case c >= NoError && c <= VersionFallback:
		return codeNames[c-NoError]
	case c == DatagramError:
		return "H3_DATAGRAM_ERROR"
	case c == SessionGone:
		return "WT_SESSION_GONE"
	case c == BufferedStreamRejected:
		return "WT_BUFFERED_STREAM_REJECTED"
	case c == 0x200:
		return "QPACK_DECOMPRESSION_FAILED"
	case c == 0x201:
		return "QPACK_ENCODER_STREAM_ERROR"
	case c == 0x202:
		return "QPACK_DECODER_STREAM_ERROR"
	}
	return "0x" + strconv.FormatUint(uint64(c), 16)
}

// Scope is what an error ends.
type Scope uint8

// The scopes.
const (
	Connection Scope = iota
	Stream
)

// Error reports a broken rule of HTTP/3. The errors that this package returns are package-level variables: they cost no
// allocation and must not be modified.
type Error struct {
	shockwave.Violation
	Code  Code
	Scope Scope
}

// Error returns the message with its code and rule.
func (e *Error) Error() string {
	return "http3: " + e.Msg + " (" + e.Code.String() + ", " + e.Rule + ")"
}

// refuse returns the error of a peer that breaks a rule, which ends the connection.
func refuse(code Code, rule, msg string) *Error {
	return &Error{Code: code, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

// refuseStream is refuse of a rule whose breach ends the stream alone.
func refuseStream(code Code, rule, msg string) *Error {
	return &Error{Code: code, Scope: Stream, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

var (
	errDataFirst     = refuse(FrameUnexpected, "RFC 9114 §4.1", "DATA before the head of a message")
	errAfterTrailer  = refuse(FrameUnexpected, "RFC 9114 §4.1", "frame after the trailer section")
	errPush          = refuse(FrameUnexpected, "RFC 9114 §7.2.5", "PUSH_PROMISE where none is allowed")
	errOnRequest     = refuse(FrameUnexpected, "RFC 9114 §7.2", "frame of the control stream on a request stream")
	errOnControl     = refuse(FrameUnexpected, "RFC 9114 §7.2", "frame of a request stream on the control stream")
	errHTTP2Type     = refuse(FrameUnexpected, "RFC 9114 §7.2.8", "frame type of HTTP/2")
	errCut           = refuse(FrameError, "RFC 9114 §7.1", "stream ends inside a frame")
	errWebTransport  = refuse(FrameError, "draft-ietf-webtrans-http3 §4.2", "WebTransport's signal after the first frame")
	errNoHead        = refuseStream(RequestIncomplete, "RFC 9114 §4.1", "stream ends before the head of its message")
	errTooMuch       = refuseStream(MessageError, "RFC 9114 §4.1.2", "more content than content-length says")
	errTooLittle     = refuseStream(MessageError, "RFC 9114 §4.1.2", "less content than content-length says")
	errSettingsFirst = refuse(MissingSettings, "RFC 9114 §6.2.1", "first frame of the control stream is not SETTINGS")
	errSettingsTwice = refuse(FrameUnexpected, "RFC 9114 §7.2.4", "second SETTINGS")
	errSettingTwice  = refuse(SettingsError, "RFC 9114 §7.2.4", "the same setting twice")
	errSettingHTTP2  = refuse(SettingsError, "RFC 9114 §7.2.4.1", "setting of HTTP/2")
	errSettingBool   = refuse(SettingsError, "RFC 9220 §3", "setting that is neither 0 nor 1")
	errLong          = refuse(ExcessiveLoad, "RFC 9114 §10.5", "frame of the control stream that is too long")
	errLength        = refuse(FrameError, "RFC 9114 §7.1", "frame with more or fewer bytes than its fields")
	errGoAwayMore    = refuse(IDError, "RFC 9114 §5.2", "GOAWAY with a larger identifier than the one before")
	errGoAwayID      = refuse(IDError, "RFC 9114 §7.2.6", "GOAWAY with an identifier that no request of a client has")
	errMaxPushLess   = refuse(IDError, "RFC 9114 §7.2.7", "MAX_PUSH_ID with a smaller identifier than the one before")
	errMaxPushServer = refuse(FrameUnexpected, "RFC 9114 §7.2.7", "MAX_PUSH_ID sent by a server")
	errCancelPush    = refuse(IDError, "RFC 9114 §7.2.3", "CANCEL_PUSH of a push that was not promised")
	errPriorityFrom  = refuse(FrameUnexpected, "RFC 9218 §7.2", "PRIORITY_UPDATE sent by a server")
	errPriorityID    = refuse(IDError, "RFC 9218 §7.2", "PRIORITY_UPDATE of a stream that is no request")
)
