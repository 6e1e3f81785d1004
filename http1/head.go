package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// phase is the part of a head that is being read.
type phase uint8

const (
	atStart    phase = iota // empty lines, then the first byte of the first line
	inMethod                // request
	inTarget                // request
	inVersion               // request
	inReason                // response
	inFields                // field lines and the empty line
	headIsRead              // the head is complete
)

// head is the progress of parsing a head, or a trailer section. Indexes refer to the bytes from its first line on. These
// may move between two calls but must begin at the same byte.
type head struct {
	isTrailer bool // a trailer section: its fields say nothing about the message
	phase     phase
	resumed   bool // Parse was called before: slices stored then may point to old memory
	pos       int  // index of the element or line that is being read
	seen      int  // the bytes from pos up to here do not end the element
	inName    bool // the field line at pos was scanned and has no colon yet
	lines     int  // number of field lines read
	facts     facts
}

// cut returns the part of b that a head of at most limit bytes may use. full reports that this part cannot get longer,
// so that a head which is still incomplete is too large. Bytes beyond the limit are never read, so that a head that
// arrives in one piece gets the same result as one that arrives byte by byte.
func cut(b []byte, limit int) (_ []byte, full bool) {
	if len(b) >= limit {
		return b[:limit], true
	}
	return b, false
}

// resume reports whether the line at h.pos should be scanned: for the first time, or again.
func (h *head) resume(b []byte) bool { return h.seen <= h.pos || h.ready(b) }

// ready reports whether the line at h.pos, which was incomplete when it was last scanned, should be scanned again. It
// only reads new bytes, so that a line that arrives byte by byte is still parsed in linear time. The line is scanned
// again from its start when its name has ended, and when the line itself has ended or contains a bad byte.
func (h *head) ready(b []byte) bool {
	if h.inName {
		h.seen = ascii.Span(b, h.seen, ascii.Token)
	} else {
		h.seen = indexControl(b, h.seen)
	}
	if h.seen == len(b) || b[h.seen] == '\r' && h.seen+1 == len(b) {
		return false
	}
	h.seen = h.pos
	return true
}

// wait records that the line at h.pos was scanned up to the end of b. A carriage return at the end will be read again.
func (h *head) wait(b []byte, inName bool) {
	h.seen, h.inName = len(b), inName
	if h.seen > h.pos && b[h.seen-1] == '\r' {
		h.seen--
	}
}
