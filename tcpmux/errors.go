package tcpmux

import (
	"errors"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// The errors of channels and sessions. Methods also return *ResetError, *EndError, *RefusedError, *ProtocolError,
// os.ErrDeadlineExceeded, the errors of contexts, and io.EOF after the last message of a peer that has ended its half.
var (
	// ErrClosed is returned for a half that this side has closed, and by a closed Listener or Pool. It wraps net.ErrClosed.
	ErrClosed = fmt.Errorf("tcpmux: %w", net.ErrClosed)
	// ErrPeerClosed is returned by Send when the peer has closed the channel and receives nothing more.
	ErrPeerClosed = errors.New("tcpmux: the peer has closed the channel")
	// ErrChannelExists is returned by Open when the session already has a channel of that name.
	ErrChannelExists = errors.New("tcpmux: channel exists")
	// ErrTooManyChannels is returned by Open when the session has Config.MaxChannels channels.
	ErrTooManyChannels = errors.New("tcpmux: too many channels")
	// ErrNameTooLong is returned by Open for a name longer than MaxName or metadata longer than MaxMetadata.
	ErrNameTooLong = errors.New("tcpmux: name or metadata too long")
	// ErrTooLarge is returned by Send for a message that is larger than the peer accepts.
	ErrTooLarge = errors.New("tcpmux: message too large")
	// ErrWouldBlock is returned by TrySend where Send would wait.
	ErrWouldBlock = errors.New("tcpmux: send would wait")

	// ErrUnknownSession ends a session that the peer no longer knows: it was restarted, or has stopped waiting.
	ErrUnknownSession = errors.New("tcpmux: unknown session")
	// ErrResumeTimeout ends a session that was not resumed within Config.ResumeTimeout.
	ErrResumeTimeout = errors.New("tcpmux: not resumed in time")
	// ErrConnectionLost ends a session with Config.AtMostOnce when its connection breaks.
	ErrConnectionLost = errors.New("tcpmux: the connection broke, and the session is not resumed")
	// ErrEvicted ends a disconnected session of a Listener when MaxWaiting or WaitingBytes is exceeded.
	ErrEvicted = errors.New("tcpmux: too many sessions wait for their peers")
	// ErrPingTimeout is passed to Config.OnBroken when the peer did not answer a ping.
	ErrPingTimeout = errors.New("tcpmux: the peer is silent")
	// ErrAborted ends a session on which Close was called. It wraps net.ErrClosed.
	ErrAborted error = abortedError{}
)

// abortedError is the type of ErrAborted.
type abortedError struct{}

func (abortedError) Error() string { return "tcpmux: aborted" }
func (abortedError) Unwrap() error { return net.ErrClosed }

// ProtocolError says which rule of [the wire] the peer has broken. It ends the session. It implements
// shockwave.ProtocolError.
//
// [the wire]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/tcpmux.md
type ProtocolError struct {
	shockwave.Violation
}

// Error returns Msg with the package name.
func (e *ProtocolError) Error() string { return "tcpmux: " + e.Msg }

// faceError returns err with an error of the wire as one of this package's.
func faceError(err error) error {
	if e, ok := err.(*muxframe.Error); ok {
		return &ProtocolError{e.Violation}
	}
	return err
}

// The codes with which this package resets channels. Programs choose their own below 1<<31.
const (
	ResetTooManyChannels uint32 = muxframe.CodeTooMany // Config.MaxChannels are open
	ResetPanic           uint32 = muxframe.CodePanic   // Config.OnChannel has panicked
)

// The limits of the description of a channel, in bytes.
const (
	MaxName     = muxframe.MaxName     // of a name, which has at least one byte
	MaxMetadata = muxframe.MaxMetadata // of Options.Metadata
)

// Side is one of the two ends of a session.
type Side uint8

// The sides.
const (
	SideLocal Side = iota // this one
	SidePeer              // the other one
)

// String returns "us" or "peer".
func (s Side) String() string { return [...]string{"us", "peer"}[s] }

// inWords names the side in a sentence.
func (s Side) inWords() string { return [...]string{"this side", "the peer"}[s] }

// ResetError is returned by the methods of a channel that was reset.
type ResetError struct {
	Code uint32
	By   Side // the side that has reset it
}

// Error implements error.
func (e *ResetError) Error() string {
	return fmt.Sprintf("tcpmux: channel reset by %s, code %d", e.By.inWords(), e.Code)
}

// EndError says how a session has ended. All methods return it afterwards. It wraps net.ErrClosed if the session was closed in
// order.
type EndError struct {
	// Err is why the session was lost; nil if it was closed in order.
	Err error
	// By is the side that closed the session or, if it was lost, the side that broke the rules or gave up.
	By Side
	// Undelivered is how many messages of this side the peer has not acknowledged; Unacked has them by channel name.
	Undelivered int64
	Unacked     map[string]int64
}

// Error implements error.
func (e *EndError) Error() string {
	if e.Err == nil {
		return "tcpmux: session closed by " + e.By.inWords()
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
