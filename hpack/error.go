package hpack

import "github.com/shockwave-go/shockwave"

// Kind is what an error ends: the connection or only a message.
type Kind uint8

const (
	// Compression means that the two ends no longer agree on the table: nothing more can be decoded on the connection
	// (COMPRESSION_ERROR, RFC 9113 §4.3).
	Compression Kind = iota
	// TooLarge means that the header list exceeds a limit of this end. The table is in step and the connection can go on;
	// only the request or response is refused (RFC 9113 §10.5.1).
	TooLarge
)

// String returns "compression" or "too large".
func (k Kind) String() string {
	if k == TooLarge {
		return "too large"
	}
	return "compression"
}

// Error reports a broken rule of HPACK. The errors that this package returns are package-level variables: they cost no
// allocation and must not be modified.
type Error struct {
	shockwave.Violation
	Kind Kind
}

// Error returns the message with its rule.
func (e *Error) Error() string { return "hpack: " + e.Msg + " (" + e.Rule + ")" }

// refuse returns the error of a peer that breaks a rule.
func refuse(kind Kind, rule, msg string) *Error {
	return &Error{Kind: kind, Violation: shockwave.Violation{Who: shockwave.Peer, Rule: rule, Msg: msg}}
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
