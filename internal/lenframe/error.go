package lenframe

import (
	"strconv"

	"github.com/shockwave-go/shockwave"
)

// Error is a message that is longer than the receiver takes, or than a header can say: there is no other way to break
// the rules of this wire.
type Error struct {
	Length int64           // of the message
	Limit  int64           // the most that it may have
	Who    shockwave.Blame // the peer announced it, or this program wanted to send it
}

// Error returns the message with both figures. Users of sockets see it as it is, so no package is named.
func (e *Error) Error() string {
	return "message too large: " + strconv.FormatInt(e.Length, 10) + " bytes, at most " + strconv.FormatInt(e.Limit, 10) + " are taken"
}

// Blame says who broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference names the page with the rule.
func (e *Error) Reference() string { return "docs/wire/streamsock.md" }

// Check reports whether a message of n bytes may be sent to somebody who takes max bytes; 0 stands for MaxLength. The error
// is an *Error.
func Check(n int, max uint32) error {
	if limit := limitOf(max); uint64(n) > uint64(limit) {
		return &Error{Length: int64(n), Limit: int64(limit), Who: shockwave.Local}
	}
	return nil
}

// refuse returns the error for a peer's message.
func refuse(length, max uint32) *Error {
	return &Error{Length: int64(length), Limit: int64(limitOf(max)), Who: shockwave.Peer}
}

// limitOf returns the length that max stands for.
func limitOf(max uint32) uint32 {
	if max == 0 {
		return MaxLength
	}
	return max
}
