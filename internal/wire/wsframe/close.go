package wsframe

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave"
)

// MaxReason is the maximum length of a close frame's reason in bytes: the payload of a control frame without the code.
const MaxReason = MaxControlPayload - 2

// ParseClose parses the unmasked payload of a close frame (RFC 6455 §5.5.1). If the payload is empty the code is
// CloseNoStatus. Otherwise the code is Sendable, and reason, which may be empty, is UTF-8. reason is a slice of p. The
// error is an *Error.
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

// AppendClose appends the payload of a close frame, unmasked, and returns the extended slice. For CloseNoStatus the
// payload is empty, without the reason.
//
// A reason longer than MaxReason is cut at a character boundary: it is only a hint for people, and a connection should
// not stay open because of a long one. A code that is not Sendable and a reason that is not UTF-8, up to the cut, are
// rejected with an *Error, and nothing is appended.
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

// checkCode returns an error if no close frame may carry code.
func checkCode(code CloseCode, who shockwave.Blame) error {
	switch {
	case code.Sendable():
		return nil
	case code == 1004 || code == CloseNoStatus || code == CloseAbnormal || code == CloseTLSHandshake:
		return errCloseReserved[who]
	}
	return errCloseRange[who]
}

// cutReason returns the beginning of reason that fits into a close frame, without cutting a character in two.
func cutReason(reason string) string {
	if len(reason) <= MaxReason {
		return reason
	}
	end := MaxReason
	// A character has at most three bytes after its first. A sequence with more is not UTF-8 and is rejected later.
	for end > MaxReason-utf8.UTFMax+1 && !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
