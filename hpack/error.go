package hpack

import "github.com/shockwave-go/shockwave"

// Kind says what has to end when a rule is broken.
type Kind uint8

const (
	// Compression means that the two ends no longer agree on the table: nothing on the connection can be read any more
	// (COMPRESSION_ERROR, RFC 9113 §4.3).
	Compression Kind = iota
	// TooLarge means that the list is longer than this end wants to hold. The table is in step and the connection may go
	// on; the request or response is refused (RFC 9113 §10.5.1).
	TooLarge
)

// String returns "compression" or "too large".
func (k Kind) String() string {
	if k == TooLarge {
		return "too large"
	}
	return "compression"
}

// Error is a broken rule of HPACK. Errors that this package returns are package-level values: they cost no allocation and
// must not be changed.
type Error struct {
	Kind Kind
	Who  shockwave.Blame
	Rule string // "RFC 7541 §5.1"
	Msg  string
}

// Error returns the message with its rule.
func (e *Error) Error() string { return "hpack: " + e.Msg + " (" + e.Rule + ")" }

// Blame says who broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference names the rule.
func (e *Error) Reference() string { return e.Rule }

// refuse declares a rule.
func refuse(kind Kind, rule, msg string) *Error {
	return &Error{Kind: kind, Who: shockwave.Peer, Rule: rule, Msg: msg}
}

var (
	errInteger       = refuse(Compression, "RFC 7541 §5.1", "integer of more than 31 bits or six bytes")
	errHuffman       = refuse(Compression, "RFC 7541 §5.2", "malformed Huffman code")
	errIndex         = refuse(Compression, "RFC 7541 §2.3.3", "index beyond both tables")
	errIndexZero     = refuse(Compression, "RFC 7541 §6.1", "indexed field with the index 0")
	errUpdateLate    = refuse(Compression, "RFC 7541 §4.2", "table size update behind a field")
	errUpdateSize    = refuse(Compression, "RFC 7541 §6.3", "table size update beyond what is allowed")
	errUpdateMissing = refuse(Compression, "RFC 7541 §4.2", "no table size update after the table had to shrink")
	errTruncated     = refuse(Compression, "RFC 9113 §4.3", "header block ends inside a field")
	errTooLarge      = refuse(TooLarge, "RFC 9113 §10.5.1", "too many or too long fields")
)
