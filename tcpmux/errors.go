package tcpmux

import (
	"errors"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/muxframe"
)

// The errors of channels and sessions. Besides these there are *ResetError, *EndError, *RefusedError, *ProtocolError,
// os.ErrDeadlineExceeded, io.EOF behind the last message of a peer that has ended its half, and what contexts say.
var (
	// ErrClosed is what a half that this side has closed says. It is net.ErrClosed.
	ErrClosed = fmt.Errorf("tcpmux: %w", net.ErrClosed)
	// ErrPeerClosed is what Send says on a channel that the peer has closed: it takes nothing more.
	ErrPeerClosed = errors.New("tcpmux: the peer has closed the channel")
	// ErrExists is what Open says of a name that a channel of the session has.
	ErrExists = errors.New("tcpmux: channel exists")
	// ErrTooMany is what Open says when the session has as many channels as the peer or this side allows.
	ErrTooMany = errors.New("tcpmux: too many channels")
	// ErrName is what Open says of a name that is longer than MaxName, and of metadata longer than MaxMetadata.
	ErrName = errors.New("tcpmux: name or metadata too long")
	// ErrTooLarge is what Send says of a message that is longer than the peer takes.
	ErrTooLarge = errors.New("tcpmux: message too large")
	// ErrWouldWait is what TrySend says where Send would wait.
	ErrWouldWait = errors.New("tcpmux: send would wait")

	// ErrUnknownSession ends a session whose peer does not know it: it was started again, or has given up waiting.
	ErrUnknownSession = errors.New("tcpmux: unknown session")
	// ErrResumeTime ends a session whose sides have not found each other within Config.ResumeTime.
	ErrResumeTime = errors.New("tcpmux: not resumed in time")
	// ErrAtMostOnce ends a session that is not to be resumed when its connection breaks.
	ErrAtMostOnce = errors.New("tcpmux: the connection broke, and the session is not resumed")
	// ErrCrowded ends a session of a Listener that waits while MaxWaiting or WaitingBytes are exceeded.
	ErrCrowded = errors.New("tcpmux: too many sessions wait for their peers")
	// ErrSilent is why a connection breaks whose peer gave no sign of life.
	ErrSilent = errors.New("tcpmux: the peer is silent")
	// ErrAborted ends a session by Abort.
	ErrAborted = errors.New("tcpmux: aborted")
)

// ProtocolError is a rule of docs/wire/tcpmux.md that the peer has broken. It ends the session.
type ProtocolError = muxframe.Error

// The codes that this package resets channels with. Those of programs are up to them.
const (
	CodeTooMany uint32 = muxframe.CodeTooMany // Config.MaxChannels are open
	CodePanic   uint32 = muxframe.CodePanic   // Config.OnChannel has panicked
)

// The limits of what describes a channel, in bytes.
const (
	MaxName     = muxframe.MaxName     // of a name, which has one at least
	MaxMetadata = muxframe.MaxMetadata // of Options.Metadata
)

// ResetError is what the methods of a channel say that was reset.
type ResetError struct {
	Code uint32
	Peer bool // the peer has reset it
}

// Error implements error.
func (e *ResetError) Error() string {
	who := "this side"
	if e.Peer {
		who = "the peer"
	}
	return fmt.Sprintf("tcpmux: channel reset by %s, code %d", who, e.Code)
}

// RefusedError is what Dial says when the listener has refused the session.
type RefusedError struct {
	Code RefusalCode
	Text string // for people; may be empty
}

// Error implements error.
func (e *RefusedError) Error() string {
	s := "tcpmux: refused: " + e.Code.String()
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Is tells that a refusal for RefusedUnknown is ErrUnknownSession.
func (e *RefusedError) Is(target error) bool {
	return target == ErrUnknownSession && e.Code == muxframe.RefusedUnknown
}

// RefusalCode is why a connection is refused.
type RefusalCode = muxframe.Refusal

// Side is one of the two ends of a session.
type Side uint8

// The sides.
const (
	Us   Side = iota // this one
	Peer             // the other one
)

// String returns "us" or "peer".
func (s Side) String() string { return [...]string{"us", "peer"}[s] }

// End is how a session has ended.
type End struct {
	// Err is why the session was lost; nil when it was closed in order.
	Err error
	// By is who has closed it; of one that was lost, who broke the rules or has given up.
	By Side
	// Undelivered is how many messages of ours the peer has not acknowledged, and Unacked in which channels.
	Undelivered uint64
	Unacked     map[string]uint64
}

// EndError is what everything says on a session that has ended. Of one that was closed in order it is net.ErrClosed.
type EndError struct{ End }

// Error implements error.
func (e *EndError) Error() string {
	if e.Err == nil {
		return "tcpmux: session closed by " + [...]string{"this side", "the peer"}[e.By]
	}
	return fmt.Sprintf("tcpmux: session lost, %d messages not acknowledged: %v", e.Undelivered, e.Err)
}

// Unwrap returns why.
func (e *EndError) Unwrap() error {
	if e.Err == nil {
		return net.ErrClosed
	}
	return e.Err
}
