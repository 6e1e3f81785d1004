package transport

// Batch is data that is sent together: A, then B, then More. Sending removes what has been sent.
type Batch struct {
	A, B []byte
	More [][]byte
}

// Empty reports whether b is empty. It moves the remaining data to the front.
func (b *Batch) Empty() bool {
	if len(b.More) == 0 {
		if len(b.A) == 0 {
			b.A, b.B = b.B, nil
		}
		return len(b.A) == 0
	}
	return b.emptyMore()
}

//go:noinline
func (b *Batch) emptyMore() bool {
	for len(b.A) == 0 {
		b.A, b.B = b.B, nil
		if len(b.More) > 0 {
			b.B, b.More = b.More[0], b.More[1:]
		} else if len(b.A) == 0 {
			return true
		}
	}
	if len(b.B) == 0 && len(b.More) > 0 {
		b.B, b.More = b.More[0], b.More[1:]
	}
	return false
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
	k := min(n, len(b.A))
	b.A, b.B = b.A[k:], b.B[n-k:]
}
