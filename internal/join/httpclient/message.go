package httpclient

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// message is a response as far as it has arrived.
type message struct {
	Major, Minor int // version of HTTP
	Status       int
	Length       int64 // length of the body; -1 if it is not known

	head     *http1.Response   // the Call's; nil after DropHead
	text     []byte            // from bufpool: the text of the head's fields, and behind it the body if that had arrived whole
	body     []byte            // the unread part of that body
	trailer  *shockwave.Header // nil until needed
	headOnly bool              // the response has no body
	tunneled bool              // another protocol or the bytes of a tunnel follow, and no body
}

// reset prepares m for another response, whose head is stored in head.
func (m *message) reset(head *http1.Response) {
	m.head = head
	m.head.Reset()
	if m.trailer != nil {
		m.trailer.Reset()
	}
	m.text, m.body, m.headOnly, m.tunneled = m.text[:0], nil, false, false
}

// Head returns the head, which is part of the Call. It is valid until Release or DropHead. Fields that the response's
// version of HTTP does not have are zero.
func (m *message) Head() *http1.Response { return m.head }

// Header returns the fields of the head.
func (m *message) Header() *shockwave.Header { return &m.head.Header }

func (m *message) freeText() {
	bufpool.Put(m.text)
	m.text = nil
}

// Trailer returns the trailer section. It is complete when Read has returned io.EOF.
func (m *message) Trailer() *shockwave.Header {
	if m.trailer == nil {
		m.trailer = new(shockwave.Header)
	}
	return m.trailer
}

// HasTrailer reports whether a trailer section with fields has arrived.
func (m *message) HasTrailer() bool { return m.trailer != nil && m.trailer.Len() > 0 }

// Bodyless reports whether the response has no body.
func (m *message) Bodyless() bool { return m.headOnly }

// fill copies fields into m's head.
func (m *message) fill(major, status int, fields []http2.Field) {
	m.Major, m.Minor, m.Status = major, 0, status
	m.text = fill(&m.head.Header, m.text[:0], fields)
}

// takeBody makes p, which is from bufpool, the whole body. It follows the head in the same buffer.
func (m *message) takeBody(p []byte) {
	n := len(m.text)
	m.text = append(bufpool.Grow(m.text, n+len(p))[:n], p...)
	bufpool.Put(p)
	m.head.Header.Rebase(m.text[:n])
	m.body = m.text[n:]
}

// fill copies fields into h, with their text in b, which is grown if necessary. It returns b.
func fill(h *shockwave.Header, b []byte, fields []http2.Field) []byte {
	size := 0
	for i := range fields {
		size += len(fields[i].Name) + len(fields[i].Value)
	}
	b = bufpool.Grow(b, size)[:0]
	h.Reset()
	for i := range fields {
		f := &fields[i]
		start, mid := len(b), len(b)+len(f.Name)
		b = append(append(b, f.Name...), f.Value...)
		h.Append(shockwave.Line{
			Name:  shockwave.Span{Start: uint32(start), End: uint32(mid)},
			Value: shockwave.Span{Start: uint32(mid), End: uint32(len(b))},
		})
	}
	h.Rebase(b)
	return b
}

// keepTrailer copies a trailer section into m.
func (m *message) keepTrailer(h *shockwave.Header) {
	for i := range h.Len() {
		m.Trailer().AddBytes(h.At(i))
	}
}
