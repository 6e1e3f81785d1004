package muxframe

import "strconv"

// Refusal is why a listener refuses a connection.
type Refusal uint16

// The reasons.
const (
	RefusedMalformed Refusal = 1 // the greeting breaks a rule
	RefusedVersion   Refusal = 2 // it is of a version that is not known
	RefusedUnknown   Refusal = 3 // the session that it wants to go on with is not known
	RefusedProof     Refusal = 4 // who wants to go on with it is somebody else
	RefusedFull      Refusal = 5 // there are as many sessions as there may be
	RefusedClosing   Refusal = 6 // the listener is closing
	RefusedOver      Refusal = 7 // the session has been closed in order
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
