// Package fieldkind recognizes the header fields of a response that have a meaning for the program that sends it, and
// reads the values that decide its framing.
package fieldkind

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// Kind is the meaning of a field.
type Kind uint8

// The kinds. Ordinary fields are sent as they are.
const (
	Ordinary Kind = iota
	ContentLength
	ContentType
	ContentEncoding
	TransferEncoding
	Connection
	Trailer
	Date
	Server
)

// kinds holds the fields that are not ordinary, indexed by the length of their name. usual is the common spelling,
// which is compared first; name is the name in lower case.
var kinds = [18]struct {
	usual, name string
	kind        Kind
}{
	4:  {"Date", "date", Date},
	6:  {"Server", "server", Server},
	7:  {"Trailer", "trailer", Trailer},
	10: {"Connection", "connection", Connection},
	12: {"Content-Type", "content-type", ContentType},
	14: {"Content-Length", "content-length", ContentLength},
	16: {"Content-Encoding", "content-encoding", ContentEncoding},
	17: {"Transfer-Encoding", "transfer-encoding", TransferEncoding},
}

// Of returns the kind of the field called name, in any spelling.
func Of(name []byte) Kind {
	if len(name) >= len(kinds) {
		return Ordinary
	}
	k := &kinds[len(name)]
	if string(name) != k.usual && (len(k.name) != len(name) || !ascii.EqualFold(name, k.name)) {
		return Ordinary
	}
	return k.kind
}

// AllowedInInterim reports whether an informational response may have a field with this name. RFC 9110 §8.6 and RFC
// 9112 §6.1 forbid framing fields.
func AllowedInInterim(name []byte) bool {
	kind := Of(name)
	return kind != ContentLength && kind != TransferEncoding
}
