package streamsock

import (
	"errors"
	"io"
	"net"
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
	ReasonEOF         Reason = iota + 1 // the peer has ended its stream between two messages
	ReasonClosed                        // the peer has sent a close frame with Code and Text
	ReasonTruncated                     // the connection ended inside a message, or on ws and wss without a close frame (1006)
	ReasonReset                         // the connection was reset
	ReasonTooLarge                      // a message was longer than Config.MaxMessage (1009)
	ReasonProtocol                      // the peer broke the rules of WebSocket (1002, 1007)
	ReasonText                          // the peer sent text, which is not allowed (1003)
	ReasonSlow                          // the peer received or sent too slowly
	ReasonIdle                          // nothing was received for Config.IdleTimeout
	ReasonPingTimeout                   // the peer did not answer a ping
	ReasonLocal                         // this side has ended it: Disconnect, Shutdown, Close, or a newer connection with the same key
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

// The errors with which a connection is ended because of its input, or because there is none.
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
		return End{Reason: ReasonClosed, Code: closed.code, Text: closed.text}
	case err == io.EOF:
		return End{Reason: ReasonEOF}
	case errors.As(err, &long):
		return End{Reason: ReasonTooLarge, Code: codeOf(websocket.CloseMessageTooBig, framed), Text: err.Error()}
	case errors.As(err, &broken):
		return End{Reason: ReasonProtocol, Code: websocket.CloseCode(broken.Code), Text: broken.Error()}
	case err == errText:
		return End{Reason: ReasonText, Code: websocket.CloseUnsupportedData, Text: err.Error()}
	case err == errTooSlow || errors.Is(err, netconn.ErrSlow):
		return End{Reason: ReasonSlow, Code: codeOf(websocket.CloseTryAgainLater, framed), Text: errTooSlow.Error()}
	case err == errSilent:
		return End{Reason: ReasonPingTimeout, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
	case errors.Is(err, netconn.ErrIdle):
		return End{Reason: ReasonIdle, Code: codeOf(websocket.CloseGoingAway, framed), Text: "idle"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return End{Reason: ReasonTruncated, Code: codeOf(websocket.CloseAbnormal, framed)}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return End{Reason: ReasonReset, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
	case errors.Is(err, netconn.ErrAbort), errors.Is(err, netconn.ErrShutdown), err == nil:
		return End{Reason: ReasonLocal, Code: codeOf(websocket.CloseGoingAway, framed)}
	}
	return End{Reason: ReasonTruncated, Code: codeOf(websocket.CloseAbnormal, framed), Text: err.Error()}
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
	ErrNoPeer          = errors.New("no such peer")                  // the id was never given
	ErrGone            = errors.New("gone")                          // the peer is gone
	ErrQueueFull       = errors.New("queue full")                    // Config.Slow is FailWhenSlow
	ErrTooLarge        = errors.New("message too large")             // larger than a header can express
	ErrNoAddress       = errors.New("no such address")               // the address is not bound
	ErrClosed    error = closedError{}                               // the socket is closed; wraps net.ErrClosed
	ErrText            = errors.New("text messages are not enabled") // without Config.Text
)

// closedError is the type of ErrClosed.
type closedError struct{}

func (closedError) Error() string { return "streamsock: the socket is closed" }
func (closedError) Unwrap() error { return net.ErrClosed }
