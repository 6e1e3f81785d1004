package client

import (
	"github.com/shockwave-go/shockwave/internal/ascii"
	"github.com/shockwave-go/shockwave/internal/coding"
)

// decode has the body decompressed if that is what the client has asked for. A body with a coding that is not known is left to
// the program.
func (r *Response) decode() {
	codings := r.Header().Get("Content-Encoding")
	if !r.head.encodes || len(codings) == 0 || ascii.EqualFold(codings, "identity") || r.raw.Bodyless() {
		return
	}
	if r.decoder == nil {
		r.decoder = new(coding.Reader)
	}
	r.coded = r.decoder.Reset(&r.raw, r.codings(), r.client.inflate) == nil
}

// codings returns all values of Content-Encoding as one list (RFC 9110 §5.3).
func (r *Response) codings() string {
	h := r.Header()
	list, i := h.Next("Content-Encoding", 0)
	for v, i := h.Next("Content-Encoding", i); i > 0; v, i = h.Next("Content-Encoding", i) {
		list = append(append(list, ','), v...) // elsewhere: the value has no room behind it
	}
	return string(list)
}
