package transport

// Batch is data that is sent together: A, then B, then More. Sending removes what has been sent.
type Batch struct {
	A, B []byte
	More [][]byte
}

// Empty reports whether b is empty. If A is empty, it moves the remaining data to the front.
func (b *Batch) Empty() bool {
	return len(b.A) == 0 && (len(b.B)+len(b.More) == 0 || b.shift())
}

// shift moves data to the front until A has some, and B if there is more. It reports whether b is empty.
//
//go:noinline
func (b *Batch) shift() bool {
	for len(b.A) == 0 && len(b.B) > 0 || len(b.B) == 0 && len(b.More) > 0 {
		if len(b.A) == 0 {
			b.A, b.B = b.B, nil
		}
		if len(b.B) == 0 && len(b.More) > 0 {
			b.B, b.More = b.More[0], b.More[1:]
		}
	}
	return len(b.A) == 0
}

// Size returns how many bytes are left.
func (b *Batch) Size() int {
	n := len(b.A) + len(b.B)
	for _, p := range b.More {
		n += len(p)
	}
	return n
}

// advance removes the first n bytes of A and B, which have been sent.
func (b *Batch) advance(n int) {
	if n <= len(b.A) {
		b.A = b.A[n:]
		return
	}
	b.A, b.B = nil, b.B[n-len(b.A):]
}
