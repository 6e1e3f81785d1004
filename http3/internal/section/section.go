// Package section encodes the field sections of HTTP/3's messages, and translates errors in received ones: HTTP/2's
// rules and QPACK's errors.
package section

import (
	"fmt"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// Encoder encodes the fields of a section, and counts their size as RFC 9114 §4.2.2 does. It implements carrier.Fields.
type Encoder struct {
	Size uint64 // of the last section
}

// fieldOverhead is added to the bytes of a field's name and value.
const fieldOverhead = 32

// AppendStatus implements carrier.Fields.
func (f *Encoder) AppendStatus(dst []byte, status int) []byte {
	f.Size += uint64(len(":status") + len("200") + fieldOverhead)
	return qpack.Encoder{}.AppendStatus(dst, status)
}

// AppendField implements carrier.Fields.
func (f *Encoder) AppendField(dst []byte, name, value string) []byte {
	f.Size += uint64(len(name) + len(value) + fieldOverhead)
	return qpack.Encoder{}.AppendField(dst, name, value)
}

// AppendFieldBytes implements carrier.Fields.
func (f *Encoder) AppendFieldBytes(dst, name, value []byte) []byte {
	f.Size += uint64(len(name) + len(value) + fieldOverhead)
	return qpack.Encoder{}.AppendFieldBytes(dst, name, value)
}

// Append appends a HEADERS frame with the section s. The frame's length takes two bytes if it fits.
func (f *Encoder) Append(dst []byte, s carrier.Section) []byte {
	f.Size = 0
	dst = h3frame.AppendVarint(dst, uint64(h3frame.Headers))
	at := len(dst)
	dst = qpack.Encoder{}.AppendPrefix(append(dst, 0, 0))
	dst = s.AppendTo(f, dst)
	n := len(dst) - at - 2
	if n < 1<<14 {
		dst[at], dst[at+1] = 0x40|byte(n>>8), byte(n)
		return dst
	}
	section := append([]byte(nil), dst[at+2:]...)
	return append(h3frame.AppendVarint(dst[:at], uint64(n)), section...)
}

// TooLargeError is the error of a section that is larger than the peer accepts (RFC 9114 §4.2.2). It was not sent.
type TooLargeError struct {
	What       string // "request fields"
	Peer       string // "server"
	Size, Most uint64
}

// Error returns the sizes and the rule.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("http3: %s of %d bytes: the %s accepts at most %d (SETTINGS_MAX_FIELD_SECTION_SIZE, RFC 9114 §4.2.2)", e.What, e.Size, e.Peer, e.Most)
}

// Blame returns shockwave.Local: this side would have broken the rule.
func (e *TooLargeError) Blame() shockwave.Blame { return shockwave.Local }

// Reference returns the rule.
func (e *TooLargeError) Reference() string { return "RFC 9114 §4.2.2" }

// FrameError translates an error of QPACK into one of HTTP/3, and returns any other unchanged.
func FrameError(err error) error {
	if e, ok := err.(*qpack.Error); ok {
		return &h3frame.Error{Code: h3frame.Code(e.Code), Violation: shockwave.Violation{Who: e.Who, Rule: e.Rule, Msg: e.Msg}}
	}
	return err
}
