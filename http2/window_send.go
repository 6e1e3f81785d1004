package http2

// sendWindow is a window of the peer's for DATA that we send, of a stream or of the connection (RFC 9113 §6.9).
type sendWindow struct {
	left       int32 // bytes we may send; negative after the peer has lowered its initial window
	unreturned unreturned
}

// take subtracts n bytes that are sent. cut means that a window made the frame shorter.
func (w *sendWindow) take(n int32, cut bool) {
	w.left -= n
	w.unreturned.sent(n, cut)
}

// overflows reports whether an update of n bytes would make the window too large (RFC 9113 §6.9.1).
func (w *sendWindow) overflows(n uint32) bool { return int64(w.left)+int64(n) > maxWindow }
