package http1

import (
	"bytes"
	"math"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// facts is what the fields of a head say about the message itself. Each line is recorded once, when it is parsed.
type facts struct {
	length    int64 // Content-Length
	hasLength bool
	coding    coding

	closes, keepsAlive, upgrades bool // options listed in Connection
	hasUpgrade                   bool // there is an Upgrade field
	expects, expectsOther        bool // Expect lists 100-continue; lists something else
}

// coding is the state of the list of transfer codings in all Transfer-Encoding lines.
type coding uint8

const (
	noCoding     coding = iota
	onlyChunked         // exactly "chunked"
	otherCoding         // one or more codings, none of them chunked
	otherChunked        // the same, followed by chunked
	chunkedTwice
	chunkedInside // chunked, followed by another one
	badCoding     // not a list of codings, or chunked with parameters
)

// record records a field line of a request or response, whose bytes are in b. The length of the name rules out nearly
// every field that has no meaning here, and long names are nearly always spelled as in the RFC.
func (f *facts) record(b []byte, line shockwave.Line) *Error {
	switch line.Name.End - line.Name.Start {
	case uint32(len("expect")):
		if ascii.EqualFold(part(b, line.Name), "expect") {
			f.recordExpect(part(b, line.Value))
		}
	case uint32(len("upgrade")):
		if ascii.EqualFold(part(b, line.Name), "upgrade") {
			f.hasUpgrade = f.hasUpgrade || line.Value.End > line.Value.Start
		}
	case uint32(len("connection")):
		if name := part(b, line.Name); string(name) == "Connection" || ascii.EqualFold(name, "connection") {
			f.recordConnection(part(b, line.Value))
		}
	case uint32(len("content-length")):
		if name := part(b, line.Name); string(name) == "Content-Length" || ascii.EqualFold(name, "content-length") {
			return f.recordLength(part(b, line.Value))
		}
	case uint32(len("transfer-encoding")):
		if name := part(b, line.Name); string(name) == "Transfer-Encoding" || ascii.EqualFold(name, "transfer-encoding") {
			f.recordCoding(part(b, line.Value))
		}
	}
	return nil
}

// part returns the bytes of b that s spans.
func part(b []byte, s shockwave.Span) []byte { return b[s.Start:s.End] }

// recordLength records a Content-Length, which must be 1*DIGIT and occur once. A list, even of equal numbers, may be
// refused (RFC 9110 §8.6) and is refused: two recipients that choose different numbers see different messages.
func (f *facts) recordLength(value []byte) *Error {
	if f.hasLength {
		return errLengthTwice
	}
	if len(value) == 0 {
		return errLength
	}
	var n int64
	for _, c := range value {
		digit := uint(c) - '0' // large if c is less
		if digit > 9 {
			return errLength
		}
		if n > math.MaxInt64/10 {
			return errLengthSize
		}
		if n = n*10 + int64(digit); n < 0 {
			return errLengthSize
		}
	}
	f.length, f.hasLength = n, true
	return nil
}

// recordCoding appends the elements of value to the list of transfer codings (RFC 9112 §6.1, §7). Empty elements are
// refused: requests can be smuggled with a list that one recipient reads as "chunked" and the next one does not.
func (f *facts) recordCoding(value []byte) {
	for more := true; more; {
		var element []byte
		element, value, more = cutElement(value)
		f.coding = f.coding.then(element)
	}
}

// then returns the state of the list after one more element.
func (c coding) then(element []byte) coding {
	name, _, params := bytes.Cut(element, []byte{';'})
	name = ascii.TrimOWS(name)
	chunked := ascii.EqualFold(name, "chunked")
	switch {
	case c == badCoding || !ValidToken(name) || chunked && params:
		return badCoding
	case chunked && c == noCoding:
		return onlyChunked
	case chunked && c == otherCoding:
		return otherChunked
	case chunked:
		return chunkedTwice
	case c == noCoding || c == otherCoding:
		return otherCoding
	}
	return chunkedInside
}

// recordConnection records the connection options that matter here (RFC 9110 §7.6.1).
func (f *facts) recordConnection(value []byte) {
	for more := true; more; {
		var option []byte
		option, value, more = cutElement(value)
		switch {
		case ascii.EqualFold(option, "close"):
			f.closes = true
		case ascii.EqualFold(option, "keep-alive"):
			f.keepsAlive = true
		case ascii.EqualFold(option, "upgrade"):
			f.upgrades = true
		}
	}
}

// recordExpect records whether expectations other than 100-continue are listed (RFC 9110 §10.1.1).
func (f *facts) recordExpect(value []byte) {
	for more := true; more; {
		var element []byte
		element, value, more = cutElement(value)
		switch {
		case ascii.EqualFold(element, "100-continue"):
			f.expects = true
		case len(element) > 0:
			f.expectsOther = true
		}
	}
}

// persistent reports whether the connection stays open after the message, as far as the head tells (RFC 9112 §9.3).
func (f *facts) persistent(minor int) bool {
	return !f.closes && (minor > 0 || f.keepsAlive)
}
