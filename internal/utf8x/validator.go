package utf8x

// A Validator checks one text that comes in pieces. The zero value stands before the first piece. It is one byte,
// holds no pointer, and may be copied: the copy goes on from the same place. It must not be used concurrently.
type Validator struct {
	s state
}

// Write takes the next piece of the text, which may be cut anywhere. It keeps nothing of b.
//
// If ok, n is len(b) and all bytes so far are UTF-8, or the beginning of it: see [Validator.Done]. Otherwise b[n] is
// the first byte that no valid text could have in its place, whatever followed it (RFC 3629 §4). So F5 fails by
// itself, and F4 90 at its 90, though two bytes of the code point have not come. The Validator then stays failed:
// every Write returns 0 and false until [Validator.Reset].
func (v *Validator) Write(b []byte) (n int, ok bool) {
	if v.s == reject {
		return 0, false
	}
	n, v.s = scan(v.s, b)
	return n, v.s != reject
}

// Done reports whether the text may end here: no byte was bad, and no code point is half done.
func (v *Validator) Done() bool { return v.s == accept }

// Reset makes v ready for another text.
func (v *Validator) Reset() { v.s = accept }
