package httpclient

// Trim clears r, which has been closed, and releases each piece of its memory that is larger than most bytes. What r has
// returned is no longer valid.
func (r *Response) Trim(most int) {
	if r.head == nil {
		return
	}
	if cap(r.text) > most {
		r.freeText()
	}
	r.head.Header.Trim(most)
	if r.trailer != nil {
		r.trailer.Trim(most)
	}
	r.reset(r.head)
	r.state.Store(closed)
	r.ex, r.Status, r.Length = nil, 0, 0
}

// Poison overwrites everything that r, which has been closed, has returned, so that tests find code that still uses it. r
// must not be used again.
func (r *Response) Poison() {
	// A head that has not arrived whole is in the connection's buffer and has not been returned.
	for _, b := range [][]byte{r.text, r.Trailer().Bytes()} {
		b = b[:cap(b)]
		for i := range b {
			b[i] = 0xDB
		}
	}
}
