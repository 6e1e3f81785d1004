package muxframe

import "github.com/shockwave-go/shockwave"

// Error says which rule of the wire format was broken.
type Error struct {
	Msg string          // what is wrong
	Who shockwave.Blame // which side broke the rule
}

// Error returns Msg with the package name.
func (e *Error) Error() string { return "tcpmux: " + e.Msg }

// Blame returns the side that broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference returns the page with the rule.
func (e *Error) Reference() string { return "docs/wire/tcpmux.md" }

// Broken returns the error for a peer that has broken a rule.
func Broken(msg string) *Error { return &Error{Msg: msg, Who: shockwave.Peer} }
