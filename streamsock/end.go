package streamsock

import (
	"errors"
	"io"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// Reason is why a connection has ended.
type Reason uint8

// The reasons. Close frames exist only on ws and wss; [the wire] says what each transport can express.
//
// [the wire]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/streamsock.md#what-ends-a-connection
const (
	EOF         Reason = iota + 1 // the peer has ended its stream between two messages
	Closed                        // the peer has sent a close frame with Code and Text
	Truncated                     // the connection ended inside a message, or on ws and wss without a close frame (1006)
	Reset                         // the connection was reset
	TooLarge                      // a message was longer than Config.MaxMessage (1009)
	BadProtocol                   // the peer broke the rules of WebSocket (1002, 1007)
	TextMessage                   // the peer sent text, which is not allowed (1003)
	SlowPeer                      // the peer received or sent too slowly
	IdlePeer                      // nothing was received for Config.Idle
	Silent                        // the peer did not answer a ping
	Local                         // this side has ended it: Disconnect, or Close
)

var reasons = [...]string{"", "eof", "closed", "truncated", "reset", "too-large", "protocol", "text", "slow", "idle", "silent", "local"}

// String returns the name of the reason.
func (r Reason) String() string { return reasons[r] }

// End describes how a connection has ended.
type End struct {
	Reason  Reason
	Code    websocket.CloseCode // for ws and wss: the code that was received or sent; 0 elsewhere
	Text    string              // the text of the close frame, or what went wrong
	Returns bool                // the peer is not gone: it will be dialled again, or may come back with its key
}

// The errors with which a connection is ended because of its input, or its lack.
var (
	errText     = errors.New("text messages are not enabled")
	errTooSlow  = errors.New("below the least rate")
	errSilent   = errors.New("no sign of life")
	errReplaced = errors.New("replaced by a newer connection")
)

// closeError is a close frame of the peer.
type closeError struct {
	code websocket.CloseCode
	text string
}

func (e *closeError) Error() string { return e.code.String() + " " + e.text }

// endOf returns the End for the error with which a connection has ended.
func endOf(err error, framed bool) End {
	var closed *closeError
	var broken *wsframe.Error
	var long *lenframe.Error
	switch {
	case errors.As(err, &closed):
		return End{Reason: Closed, Code: closed.code, Text: closed.text}
	case err == io.EOF:
		return End{Reason: EOF}
	case errors.As(err, &long):
		return End{Reason: TooLarge, Code: codeOf(websocket.CloseMessageTooBig, framed), Text: err.Error()}
	case errors.As(err, &broken):
		return End{Reason: BadProtocol, Code: websocket.CloseCode(broken.Code), Text: broken.Error()}
	case err == errText:
		return End{Reason: TextMessage, Code: websocket.CloseUnsupportedData, Text: err.Error()}
	case err == errTooSlow || errors.Is(err, netconn.ErrSlow):
		return End{Reason: SlowPeer, Code: codeOf(websocket.CloseTryAgainLater, framed), Text: errTooSlow.Error()}
	case err == errSilent:
		return End{Reason: Silent, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
	case errors.Is(err, netconn.ErrIdle):
		return End{Reason: IdlePeer, Code: codeOf(websocket.CloseGoingAway, framed), Text: "idle"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return End{Reason: Truncated, Code: codeOf(websocket.CloseAbnormal, framed)}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return End{Reason: Reset, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
	case errors.Is(err, netconn.ErrAbort), errors.Is(err, netconn.ErrShutdown), err == nil:
		return End{Reason: Local, Code: codeOf(websocket.CloseGoingAway, framed)}
	}
	return End{Reason: Truncated, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
}

// codeOf returns code, or 0 if the wire has no close frames.
func codeOf(code websocket.CloseCode, framed bool) websocket.CloseCode {
	if framed {
		return code
	}
	return 0
}

// The errors of Send and similar methods.
var (
	ErrNoPeer    = errors.New("no such peer")      // the id was never given
	ErrGone      = errors.New("gone")              // the peer is gone
	ErrQueueFull = errors.New("queue full")        // Config.Slow is Fail
	ErrTooLarge  = errors.New("message too large") // larger than a header can express
	ErrNoAddress = errors.New("no such address")   // the address is not bound
	ErrClosed    = errors.New("streamsock: the socket is closed")
	ErrText      = errors.New("text without Config.Text")
)
