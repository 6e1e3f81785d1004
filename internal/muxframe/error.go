package muxframe

import "github.com/shockwave-go/shockwave"

// Error is a rule of the wire that has been broken.
type Error struct {
	Msg string          // what is wrong
	Who shockwave.Blame // who has done it
}

// Error returns what is wrong.
func (e *Error) Error() string { return "tcpmux: " + e.Msg }

// Blame says who broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference names the page with the rule.
func (e *Error) Reference() string { return "docs/wire/tcpmux.md" }

// Broken returns the error for a peer that has broken a rule.
func Broken(msg string) *Error { return &Error{Msg: msg, Who: shockwave.Peer} }
