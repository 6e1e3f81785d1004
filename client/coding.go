package client

import (
	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// decode decompresses the body if the client has asked for compression. A body with an unknown coding is left as it is.
func (r *Response) decode() {
	codings := r.Header().Get("Content-Encoding")
	if !r.head.acceptEncoding || len(codings) == 0 || ascii.EqualFold(codings, "identity") || r.raw.Bodyless() {
		return
	}
	if r.decoder == nil {
		r.decoder = new(coding.Reader)
	}
	r.encoded = r.decoder.Reset(&r.raw, r.codings(), r.client.inflate) == nil
}

// codings returns the values of all Content-Encoding fields as one list (RFC 9110 §5.3).
func (r *Response) codings() string {
	h := r.Header()
	list, i := h.Next("Content-Encoding", 0)
	for v, i := h.Next("Content-Encoding", i); i > 0; v, i = h.Next("Content-Encoding", i) {
		list = append(append(list, ','), v...) // append must not write behind the value, so it copies
	}
	return string(list)
}
