package tcpmux

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

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

// Is reports whether target is ErrUnknownSession and the listener refused with RefusedUnknownSession.
func (e *RefusedError) Is(target error) bool {
	return target == ErrUnknownSession && e.Code == RefusedUnknownSession
}

// RefusalCode is the reason for which a connection was refused. A code without a constant is one of a later version.
type RefusalCode uint16

// The reasons.
const (
	RefusedMalformed       RefusalCode = 1 // the greeting breaks a rule of the wire
	RefusedVersion         RefusalCode = 2 // the listener does not know the version of the greeting
	RefusedUnknownSession  RefusalCode = 3 // the session to be resumed is unknown
	RefusedBadProof        RefusalCode = 4 // the dialler has not proved that the session is its own
	RefusedTooManySessions RefusalCode = 5 // there are Config.MaxSessions sessions
	RefusedShutdown        RefusalCode = 6 // the listener is shutting down
	RefusedSessionClosed   RefusalCode = 7 // the session was closed in order
)

// String returns the reason in words.
func (c RefusalCode) String() string { return muxframe.Refusal(c).String() }
