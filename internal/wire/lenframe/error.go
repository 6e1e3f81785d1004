package lenframe

import (
	"strconv"

	"github.com/shockwave-go/shockwave"
)

// Error is returned for a message that is longer than the receiver allows, or than a header can express. It is the only
// error of this format.
type Error struct {
	Length int64           // of the message
	Limit  int64           // the maximum length
	Who    shockwave.Blame // the peer announced it, or this program tried to send it
}

// Error returns a text with both lengths. Users of sockets see it unchanged, so it does not name the package.
func (e *Error) Error() string {
	return "message too large: " + strconv.FormatInt(e.Length, 10) + " bytes, at most " + strconv.FormatInt(e.Limit, 10) + " are taken"
}

// Blame returns the side that broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference returns the page with the rule.
func (e *Error) Reference() string { return "docs/wire/streamsock.md" }

// Check returns an *Error if a message of n bytes is too long for a receiver that takes max bytes; 0 stands for MaxLength.
func Check(n int, max uint32) error {
	if limit := limitOf(max); uint64(n) > uint64(limit) {
		return &Error{Length: int64(n), Limit: int64(limit), Who: shockwave.Local}
	}
	return nil
}

// refuse returns the error for a message from the peer.
func refuse(length, max uint32) *Error {
	return &Error{Length: int64(length), Limit: int64(limitOf(max)), Who: shockwave.Peer}
}

// limitOf returns the limit that max stands for.
func limitOf(max uint32) uint32 {
	if max == 0 {
		return MaxLength
	}
	return max
}
