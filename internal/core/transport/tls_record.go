package transport

// recordCounter follows the boundaries of TLS records (RFC 8446 §5.1) in what a tls.Conn reads. A tls.Conn keeps the buffer
// that it reads into as long as it lives. If a Read gives it no more than the rest of a long record, that buffer has room for
// one record; with the beginning of the next one behind it, it grows to two or four times that.
type recordCounter struct {
	left    int     // bytes left of the record
	head    [5]byte // the header as far as it has come, if it comes in pieces
	headLen int
}

// most returns how many bytes of b, which is not empty, one Read may give to the tls.Conn, and counts them: those up to the
// end of the record, and the short records behind it. For each Read the tls.Conn allocates.
func (r *recordCounter) most(b []byte) int {
	n := r.upToEnd(b)
	for r.left == 0 && r.headLen == 0 && len(b)-n >= len(r.head) && length(b[n:]) <= shortRecord {
		n += r.upToEnd(b[n:])
	}
	return n
}

// shortRecord is the length of records for which the buffer need not grow.
const shortRecord = 512

// upToEnd counts the bytes of b up to the end of the record, or of its header, and returns how many they are.
func (r *recordCounter) upToEnd(b []byte) int {
	if r.left == 0 && r.headLen == 0 && len(b) >= len(r.head) {
		r.left = len(r.head) + length(b)
	}
	if r.left == 0 {
		n := copy(r.head[r.headLen:], b)
		if r.headLen += n; r.headLen == len(r.head) {
			r.left, r.headLen = length(r.head[:]), 0
		}
		return n
	}
	n := min(r.left, len(b))
	r.left -= n
	return n
}

// count counts the bytes of b, which the tls.Conn has read.
func (r *recordCounter) count(b []byte) {
	for len(b) > 0 {
		b = b[r.most(b):]
	}
}

// length returns the length of a record without its header.
func length(head []byte) int { return int(head[3])<<8 | int(head[4]) }
