package qpack

import "github.com/shockwave-go/shockwave"

// Code is an error code of QPACK (RFC 9204 §6).
type Code uint64

// The error codes. TooLarge is none: only the message is refused.
const (
	TooLarge            Code = 0
	DecompressionFailed Code = 0x200 // QPACK_DECOMPRESSION_FAILED
	EncoderStreamError  Code = 0x201 // QPACK_ENCODER_STREAM_ERROR
	DecoderStreamError  Code = 0x202 // QPACK_DECODER_STREAM_ERROR
)

// Error reports a broken rule of QPACK. The errors that this package returns are package-level variables: they cost no
// allocation and must not be modified.
type Error struct {
	shockwave.Violation
	Code Code // with which the connection ends, or TooLarge
}

// Error returns the message with its rule.
func (e *Error) Error() string { return "qpack: " + e.Msg + " (" + e.Rule + ")" }

// refuse returns the error of a peer that breaks a rule.
func refuse(code Code, rule, msg string) *Error {
	return &Error{Code: code, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
}

var (
	errInteger   = refuse(DecompressionFailed, "RFC 9204 §4.1.1", "integer of more than 62 bits")
	errTruncated = refuse(DecompressionFailed, "RFC 9204 §4.5", "section ends inside a field")
	errHuffman   = refuse(DecompressionFailed, "RFC 9204 §4.1.2", "malformed Huffman code")
	errRequired  = refuse(DecompressionFailed, "RFC 9204 §4.5.1.1", "section requires entries of a dynamic table, which has 0 bytes")
	errBase      = refuse(DecompressionFailed, "RFC 9204 §4.5.1.2", "negative base")
	errDynamic   = refuse(DecompressionFailed, "RFC 9204 §2.2.3", "reference to a dynamic table, which has 0 bytes")
	errIndex     = refuse(DecompressionFailed, "RFC 9204 §3.1", "index beyond the static table")
	errTooLarge  = refuse(TooLarge, "RFC 9114 §4.2.2", "too many or too long fields")

	errCapacity    = refuse(EncoderStreamError, "RFC 9204 §4.3.1", "dynamic table of more than 0 bytes")
	errInsert      = refuse(EncoderStreamError, "RFC 9204 §3.2.2", "entry for a dynamic table, which has 0 bytes")
	errAcknowledge = refuse(DecoderStreamError, "RFC 9204 §4.4.1", "acknowledgment of a section that used no dynamic table")
	errIncrement   = refuse(DecoderStreamError, "RFC 9204 §4.4.3", "acknowledgment of entries that were not sent")
	errStreamID    = refuse(DecoderStreamError, "RFC 9204 §4.1.1", "integer of more than 62 bits")
)
