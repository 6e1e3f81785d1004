package muxframe

import "github.com/shockwave-go/shockwave"

// Error says which rule of the wire format was broken.
type Error struct {
	shockwave.Violation
}

// Error returns Msg with the package name.
func (e *Error) Error() string { return "tcpmux: " + e.Msg }

// Broken returns the error for a peer that has broken a rule.
func Broken(msg string) *Error {
	return &Error{Violation: shockwave.Violation{Who: shockwave.Peer, Rule: "docs/wire/tcpmux.md", Msg: msg}}
}
