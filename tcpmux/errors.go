package tcpmux

import (
	"errors"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// The errors of channels and sessions. Methods also return *ResetError, *EndError, *RefusedError, *ProtocolError,
// os.ErrDeadlineExceeded, the errors of contexts, and io.EOF after the last message of a peer that has ended its half.
var (
	// ErrClosed is returned for a half that this side has closed. It wraps net.ErrClosed.
	ErrClosed = fmt.Errorf("tcpmux: %w", net.ErrClosed)
	// ErrPeerClosed is returned by Send when the peer has closed the channel and receives nothing more.
	ErrPeerClosed = errors.New("tcpmux: the peer has closed the channel")
	// ErrExists is returned by Open when the session already has a channel of that name.
	ErrExists = errors.New("tcpmux: channel exists")
	// ErrTooMany is returned by Open when the session has Config.MaxChannels channels.
	ErrTooMany = errors.New("tcpmux: too many channels")
	// ErrName is returned by Open for a name longer than MaxName or metadata longer than MaxMetadata.
	ErrName = errors.New("tcpmux: name or metadata too long")
	// ErrTooLarge is returned by Send for a message that is larger than the peer accepts.
	ErrTooLarge = errors.New("tcpmux: message too large")
	// ErrWouldWait is returned by TrySend where Send would wait.
	ErrWouldWait = errors.New("tcpmux: send would wait")

	// ErrUnknownSession ends a session that the peer no longer knows: it was restarted, or has stopped waiting.
	ErrUnknownSession = errors.New("tcpmux: unknown session")
	// ErrResumeTime ends a session that was not resumed within Config.ResumeTime.
	ErrResumeTime = errors.New("tcpmux: not resumed in time")
	// ErrAtMostOnce ends a session with Config.AtMostOnce when its connection breaks.
	ErrAtMostOnce = errors.New("tcpmux: the connection broke, and the session is not resumed")
	// ErrCrowded ends a disconnected session of a Listener when MaxWaiting or WaitingBytes is exceeded.
	ErrCrowded = errors.New("tcpmux: too many sessions wait for their peers")
	// ErrSilent is passed to Config.OnBroken when the peer did not answer a ping.
	ErrSilent = errors.New("tcpmux: the peer is silent")
	// ErrAborted ends a session on which Abort was called.
	ErrAborted = errors.New("tcpmux: aborted")
)

// ProtocolError says which rule of [the wire] the peer has broken. It ends the session.
//
// [the wire]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/tcpmux.md
type ProtocolError = muxframe.Error

// The codes with which this package resets channels. Programs choose their own below 1<<31.
const (
	CodeTooMany uint32 = muxframe.CodeTooMany // Config.MaxChannels are open
	CodePanic   uint32 = muxframe.CodePanic   // Config.OnChannel has panicked
)

// The limits of the description of a channel, in bytes.
const (
	MaxName     = muxframe.MaxName     // of a name, which has at least one byte
	MaxMetadata = muxframe.MaxMetadata // of Options.Metadata
)

// ResetError is returned by the methods of a channel that was reset.
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

// RefusedError is returned by Dial when the listener has refused the session.
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

// Is reports whether target is ErrUnknownSession and the listener refused with RefusedUnknown.
func (e *RefusedError) Is(target error) bool {
	return target == ErrUnknownSession && e.Code == muxframe.RefusedUnknown
}

// RefusalCode is the reason for which a connection was refused.
type RefusalCode = muxframe.Refusal

// The reasons.
const (
	RefusedMalformed = muxframe.RefusedMalformed // the greeting breaks a rule of the wire
	RefusedVersion   = muxframe.RefusedVersion   // the listener does not know the version of the greeting
	RefusedUnknown   = muxframe.RefusedUnknown   // the session to be resumed is unknown
	RefusedProof     = muxframe.RefusedProof     // the dialler has not proved that the session is its own
	RefusedFull      = muxframe.RefusedFull      // there are Config.MaxSessions sessions
	RefusedClosing   = muxframe.RefusedClosing   // the listener is closing
	RefusedOver      = muxframe.RefusedOver      // the session was closed in order
)

// Side is one of the two ends of a session.
type Side uint8

// The sides.
const (
	Us   Side = iota // this one
	Peer             // the other one
)

// String returns "us" or "peer".
func (s Side) String() string { return [...]string{"us", "peer"}[s] }

// End describes how a session has ended.
type End struct {
	// Err is why the session was lost; nil if it was closed in order.
	Err error
	// By is the side that closed the session or, if it was lost, the side that broke the rules or gave up.
	By Side
	// Undelivered is how many messages of this side the peer has not acknowledged; Unacked has them by channel name.
	Undelivered uint64
	Unacked     map[string]uint64
}

// EndError is returned by all methods after the session has ended. It wraps net.ErrClosed if the session was closed in
// order.
type EndError struct{ End }

// Error implements error.
func (e *EndError) Error() string {
	if e.Err == nil {
		return "tcpmux: session closed by " + [...]string{"this side", "the peer"}[e.By]
	}
	return fmt.Sprintf("tcpmux: session lost, %d messages not acknowledged: %v", e.Undelivered, e.Err)
}

// Unwrap returns Err, or net.ErrClosed if that is nil.
func (e *EndError) Unwrap() error {
	if e.Err == nil {
		return net.ErrClosed
	}
	return e.Err
}
