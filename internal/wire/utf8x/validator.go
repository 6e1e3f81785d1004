package utf8x

// A Validator checks a text that arrives in pieces. The zero value is ready for the first piece. It is one byte and
// contains no pointer. It may be copied; the copy continues from the same place. It must not be used concurrently.
type Validator struct {
	s state
}

// Write checks the next piece of the text, which may be cut anywhere. It keeps no reference to b.
//
// If ok is true, n is len(b), and the text so far is the beginning of a valid text; see [Validator.Done]. Otherwise b[n]
// is the first byte that cannot be valid at its place, whatever follows (RFC 3629 §4). So F5 fails at once, and F4 90
// fails at the 90, although the code point is incomplete. A Validator that has failed stays failed: Write returns 0 and
// false until [Validator.Reset].
func (v *Validator) Write(b []byte) (n int, ok bool) {
	if v.s == reject {
		return 0, false
	}
	n, v.s = scan(v.s, b)
	return n, v.s != reject
}

// Done reports whether the text may end here: nothing was invalid, and no code point is incomplete.
func (v *Validator) Done() bool { return v.s == accept }

// Reset makes v ready for another text.
func (v *Validator) Reset() { v.s = accept }
