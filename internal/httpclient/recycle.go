package httpclient

// Reset makes k the zero Call, and keeps memory. Nobody uses it.
func (k *Call) Reset() { *k = Call{head: k.head[:0]} }

// Trim makes r, which has been closed, forget its response, and lets memory go of which there is more than most bytes. What
// r gave out is valid no more.
func (r *Response) Trim(most int) {
	if r.head == nil {
		return
	}
	if cap(r.text) > most {
		r.freeText()
	}
	r.head.Header.Trim(most)
	r.trailer.Trim(most)
	r.reset()
	r.state.Store(closed)
	r.ex, r.Status, r.Length = nil, 0, 0
}

// Poison overwrites what r, which has been closed, gave out: for who looks for those who keep it. r is not used again.
func (r *Response) Poison() {
	// A head that is not whole stands in the connection's memory, and was not given out.
	for _, b := range [][]byte{r.text, r.trailer.Bytes()} {
		b = b[:cap(b)]
		for i := range b {
			b[i] = 0xDB
		}
	}
}
