package http1

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// hostField is the content of the Host line of a request.
type hostField struct {
	value shockwave.Span
	found bool
}

// record records a line whose name is as long as "Host" (RFC 9112 §3.2).
func (h *hostField) record(b []byte, line shockwave.Line) *Error {
	name := part(b, line.Name)
	switch {
	case string(name) != "Host" && !ascii.EqualFold(name, "host"):
		return nil
	case h.found:
		return errHostTwice
	case !ValidHost(part(b, line.Value)):
		return errHost
	}
	h.value, h.found = line.Value, true
	return nil
}
