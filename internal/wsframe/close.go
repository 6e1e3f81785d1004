package wsframe

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave"
)

// MaxReason is the number of bytes that the reason of a close frame may have: what a control frame carries, without
// the code.
const MaxReason = MaxControlPayload - 2

// ParseClose reads the whole, unmasked payload of a close frame (RFC 6455 §5.5.1). Without a payload the code is
// CloseNoStatus; otherwise it is one that is Sendable, and reason, which may be empty, is UTF-8 text. reason is a part
// of p. The error is an *Error.
func ParseClose(p []byte) (code CloseCode, reason []byte, err error) {
	switch len(p) {
	case 0:
		return CloseNoStatus, nil, nil
	case 1:
		return 0, nil, errCloseShort
	}
	code, reason = CloseCode(binary.BigEndian.Uint16(p)), p[2:]
	if err := checkCode(code, shockwave.Peer); err != nil {
		return 0, nil, err
	}
	if !utf8.Valid(reason) {
		return 0, nil, errCloseReason[shockwave.Peer]
	}
	return code, reason, nil
}

// AppendClose appends the payload of a close frame, not yet masked, and returns the longer slice. CloseNoStatus stands
// for no payload at all: then the reason is left out too.
//
// A reason longer than MaxReason is cut before the first character that does not fit: it is a hint for people, and no
// connection should stay open because a hint is long. A code that is not Sendable, and a reason whose part that would
// be sent is not UTF-8, are refused with an *Error and nothing is appended.
func AppendClose(dst []byte, code CloseCode, reason string) ([]byte, error) {
	if code == CloseNoStatus {
		return dst, nil
	}
	if err := checkCode(code, shockwave.Local); err != nil {
		return dst, err
	}
	reason = cutReason(reason)
	if !utf8.ValidString(reason) {
		return dst, errCloseReason[shockwave.Local]
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(code))
	return append(dst, reason...), nil
}

// checkCode tells why no close frame may carry code, or returns nil.
func checkCode(code CloseCode, who shockwave.Blame) error {
	switch {
	case code.Sendable():
		return nil
	case code == 1004 || code == CloseNoStatus || code == CloseAbnormal || code == CloseTLSHandshake:
		return errCloseReserved[who]
	}
	return errCloseRange[who]
}

// cutReason returns what of reason fits into a close frame, with no character cut in two.
func cutReason(reason string) string {
	if len(reason) <= MaxReason {
		return reason
	}
	end := MaxReason
	// No character has more than three bytes after its first; what has more is not UTF-8 and is refused as that.
	for end > MaxReason-utf8.UTFMax+1 && !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
