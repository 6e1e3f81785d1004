package bodyplan

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

// Options is what the fields that a handler has set ask of the server.
type Options struct {
	Length int64 // Content-Length; -1 if there is none, or no valid one
	Flags  Flags
}

// Flags is a set of flags about the handler's fields.
type Flags uint16

const (
	WantsChunks         Flags = 1 << iota // Transfer-Encoding: chunked, or a Trailer field
	WantsClose                            // Connection: close
	WantsCloseDelimited                   // Transfer-Encoding: identity
	HasDate                               // there is a Date field
	HasServer                             // there is a Server field
	HasCodings                            // Transfer-Encoding: any other value
	BadLength                             // there is an invalid Content-Length
	IsSpecial                             // not all lines are simply copied: a field has a meaning for the server
)

// Has reports whether w contains any of some.
func (w Flags) Has(some Flags) bool { return w&some != 0 }

// ReadFields returns what the lines of h ask for. setLength is the length that the handler has set with
// SetContentLength, -1 if it has not. It takes precedence over the lines.
func ReadFields(h *shockwave.Header, setLength int64) Options {
	var a Options
	length := fieldkind.NoLength
	for i := range h.Len() {
		name, value := h.At(i)
		switch fieldkind.Of(name) {
		case fieldkind.Ordinary, fieldkind.ContentType, fieldkind.ContentEncoding:
			continue
		case fieldkind.Server:
			a.Flags |= HasServer
			continue
		case fieldkind.ContentLength:
			length = fieldkind.And(length, value)
		case fieldkind.TransferEncoding:
			if ascii.EqualFold(value, "chunked") {
				a.Flags |= WantsChunks
			} else if ascii.EqualFold(value, "identity") {
				a.Flags |= WantsCloseDelimited
			} else {
				a.Flags |= HasCodings
			}
		case fieldkind.Connection:
			if closes, _ := fieldkind.ConnectionOptions(value); closes {
				a.Flags |= WantsClose
			}
		case fieldkind.Trailer:
			a.Flags |= WantsChunks
		case fieldkind.Date:
			a.Flags |= HasDate
		}
		a.Flags |= IsSpecial
	}
	switch {
	case setLength >= 0:
		a.Length = setLength
	default:
		a.Length = length.Bytes()
		if length == fieldkind.BadLength {
			a.Flags |= BadLength
		}
	}
	return a
}
