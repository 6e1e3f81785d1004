package muxframe

import "strconv"

// Refusal is the reason for which a listener refuses a connection.
type Refusal uint16

// The reasons.
const (
	RefusedMalformed Refusal = 1 // the greeting breaks a rule
	RefusedVersion   Refusal = 2 // the version of the greeting is unknown
	RefusedUnknown   Refusal = 3 // the session to be resumed is unknown
	RefusedProof     Refusal = 4 // the dialler's proof is wrong
	RefusedFull      Refusal = 5 // there are too many sessions
	RefusedClosing   Refusal = 6 // the listener is closing
	RefusedOver      Refusal = 7 // the session was closed in order
)

var refusals = [...]string{
	"", "malformed greeting", "unknown version", "unknown session", "wrong proof", "too many sessions", "closing", "session closed",
}

// String returns the reason in words.
func (r Refusal) String() string {
	if r > 0 && int(r) < len(refusals) {
		return refusals[r]
	}
	return "reason " + strconv.Itoa(int(r))
}
