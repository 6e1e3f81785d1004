package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// ProtocolError is a violation of RFC 6455 or RFC 7692. It implements shockwave.ProtocolError: Who tells which end broke the
// rule, Rule is the section that has the rule, and Msg says what was wrong. Code is that of the close frame that answers it.
type ProtocolError struct {
	shockwave.Violation
	Code CloseCode
}

// Error returns the message with its rule.
func (e *ProtocolError) Error() string { return "websocket: " + e.Msg + " (" + e.Rule + ")" }

// ErrClosed means that this side has closed the connection, or that it has ended. errors.Is(err, net.ErrClosed) is true for
// it.
var ErrClosed = fmt.Errorf("websocket: %w", net.ErrClosed)

var (
	// ErrSilent means that nothing was received from the peer for twice Config.PingInterval.
	ErrSilent = errors.New("websocket: the peer is silent")
	// ErrTooBig means that a message of the peer was longer than Config.ReadLimit.
	ErrTooBig = errors.New("websocket: message longer than the read limit")
	// ErrSlowPeer means that the connection was closed because of CloseWhenSlow.
	ErrSlowPeer = errors.New("websocket: the peer is too slow")
	// ErrDropped means that a message was not sent because the peer is slow and Config.Slow says to drop it.
	ErrDropped = errors.New("websocket: message dropped because the peer is slow")

	errPanicked  = errors.New("websocket: a callback has panicked")
	errCallbacks = errors.New("websocket: messages of this connection go to Config.OnMessage")
	errPartOver  = errors.New("websocket: the message has ended or is no longer the current one")
	errType      = &ProtocolError{Code: CloseProtocolError, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "RFC 6455 §5.6", Msg: "message type is not text or binary: Close and Ping send control frames"}}
	errText      = &ProtocolError{Code: CloseInvalidPayload, Violation: wsmessage.ErrText.Violation}
	errInflate   = &ProtocolError{Code: CloseInvalidPayload, Violation: shockwave.Violation{Rule: "RFC 7692 §7.2.2", Msg: "compressed message that cannot be decompressed"}}
)

// frameError translates an error of the packages that parse frames into the one that users get.
func frameError(err error) error {
	if err == nil {
		return nil
	}
	switch err {
	case wsmessage.ErrText:
		return errText
	case wsmessage.ErrTooBig, deflate.ErrTooBig:
		return ErrTooBig
	case deflate.ErrCorrupt:
		return errInflate
	}
	if e, ok := errors.AsType[*wsframe.Error](err); ok {
		return &ProtocolError{Violation: e.Violation, Code: CloseCode(e.Code)}
	}
	return err
}

// writeError is userError that returns nil for nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return userError(err)
}

// userError translates an internal error into the one that users get. Errors from lower layers get the prefix
// "websocket: ".
func userError(err error) error {
	switch err {
	case netconn.ErrAbort, net.ErrClosed:
		return ErrClosed
	case netconn.ErrSlow:
		return os.ErrDeadlineExceeded
	case netconn.ErrPanic:
		return errPanicked
	case nil, os.ErrDeadlineExceeded, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded:
		return err
	}
	if strings.HasPrefix(err.Error(), "websocket: ") {
		return err
	}
	return fmt.Errorf("websocket: %w", err)
}

// endError returns the reason for the user why the connection has ended, where err is the error of a read or of a write. If
// it came from below the connection is closed abnormally (RFC 6455 §7.1.5).
func endError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	err = userError(err)
	for _, ours := range [...]error{nil, ErrClosed, os.ErrDeadlineExceeded, context.Canceled, context.DeadlineExceeded, errPanicked,
		ErrSilent, ErrTooBig, ErrSlowPeer, netconn.ErrIdle, netconn.ErrShutdown} {
		if errors.Is(err, ours) {
			return err
		}
	}
	if errors.As(err, new(*CloseError)) || errors.As(err, new(*ProtocolError)) {
		return err
	}
	return &CloseError{Code: CloseAbnormal, cause: err}
}

// transportEnd returns what the transport is to end with when the connection ended with err.
func transportEnd(err error) error {
	if ce, ok := errors.AsType[*CloseError](err); ok && ce.cause == nil {
		return netconn.ErrDone
	}
	return netconn.ErrDoneEarly
}
