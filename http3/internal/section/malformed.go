package section

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// The rules of heads and trailer sections are those of HTTP/2, and package http2 checks them. Their section numbers differ in RFC
// 9114.
var rulesOf9113 = map[string]string{
	"RFC 9113 §8.2.1": "RFC 9114 §4.2",
	"RFC 9113 §8.2.2": "RFC 9114 §4.2",
	"RFC 9113 §8.3":   "RFC 9114 §4.3",
	"RFC 9113 §8.3.1": "RFC 9114 §4.3.1",
	"RFC 9113 §8.3.2": "RFC 9114 §4.3.2",
	"RFC 9113 §8.5":   "RFC 9114 §4.4",
	"RFC 9113 §8.6":   "RFC 9114 §4.5",
	"RFC 8441 §4":     "RFC 9220 §3",
}

// Malformed returns the error of a head or a trailer section that breaks a rule: its stream ends (RFC 9114 §4.1.2).
func Malformed(bad *http2.Error) *h3frame.Error {
	rule, ok := rulesOf9113[bad.Rule]
	if !ok {
		rule = bad.Rule // of RFC 9110, which all versions share
	}
	return &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Violation: shockwave.Violation{Who: bad.Who, Rule: rule, Msg: bad.Msg}}
}

// ErrSession is the error of a stream of WebTransport at a server that does not offer it.
var ErrSession = &h3frame.Error{Code: h3frame.FrameUnexpected, Violation: shockwave.Violation{Rule: "RFC 9114 §7.2", Msg: "WebTransport is not offered"}}
