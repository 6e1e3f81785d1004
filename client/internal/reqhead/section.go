package reqhead

import (
	"strconv"

	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// AppendTo implements carrier.Section for HTTP/2 and HTTP/3, in which names are in lower case and pseudo-fields come first
// (RFC 9113 §8.2, §8.3.1).
func (h *Head) AppendTo(f carrier.Fields, dst []byte) []byte {
	dst = f.AppendField(dst, ":authority", h.Host)
	dst = f.AppendField(dst, ":method", h.Method)
	if h.To.Query == "" {
		dst = f.AppendField(dst, ":path", h.To.PathOrSlash())
	} else {
		h.scratch = h.appendPath(h.scratch[:0])
		dst = f.AppendFieldBytes(dst, pathName, h.scratch)
	}
	dst = f.AppendField(dst, ":scheme", h.To.Scheme())
	if h.Agent != "" {
		dst = f.AppendField(dst, "user-agent", h.Agent)
	}
	own := h.Own
	for i := range own.Len() {
		name, value := own.At(i)
		kind := kindOf(name)
		if h.omits(kind, name, value) {
			continue
		}
		dst = h.appendLower(f, dst, name, trim(value))
	}
	return h.appendSectionFields(f, dst)
}

var (
	pathName    = []byte(":path")
	cookieName  = []byte("cookie")
	lengthName  = []byte("content-length")
	loginName   = []byte("authorization")
	trailerName = []byte("trailer")
)

// trim removes white space at both ends of value, which HTTP/2 does not allow there (RFC 9113 §8.2.1).
func trim(value []byte) []byte { return ascii.TrimOWS(value) }

// appendLower appends a field with its name in lower case.
func (h *Head) appendLower(f carrier.Fields, dst, name, value []byte) []byte {
	h.lower(name)
	return f.AppendFieldBytes(dst, h.scratch, value)
}

// lower sets h.scratch to name in lower case.
func (h *Head) lower(name []byte) {
	h.scratch = h.scratch[:0]
	for _, c := range name {
		h.scratch = append(h.scratch, ascii.Lower(c))
	}
}

// appendSectionFields is appendClientFields for HTTP/2 and HTTP/3. It also appends the length.
func (h *Head) appendSectionFields(f carrier.Fields, dst []byte) []byte {
	if h.Length >= 0 {
		h.scratch = strconv.AppendInt(h.scratch[:0], h.Length, 10)
		dst = f.AppendFieldBytes(dst, lengthName, h.scratch)
	}
	if h.Fields.Trailers {
		dst = f.AppendField(dst, "te", "trailers")
	}
	if h.AcceptEncoding {
		dst = f.AppendField(dst, "accept-encoding", coding.AcceptEncoding)
	}
	if len(h.login) > 0 {
		dst = f.AppendFieldBytes(dst, loginName, h.login)
	}
	dst = h.appendCrumbs(f, dst)
	if h.Referer != "" {
		dst = f.AppendField(dst, "referer", h.Referer)
	}
	if h.Expects {
		dst = f.AppendField(dst, "expect", "100-continue")
	}
	for i := range h.trailers() {
		name, _ := h.Trailer.At(i)
		h.lower(name)
		dst = f.AppendFieldBytes(dst, trailerName, h.scratch)
	}
	return dst
}
