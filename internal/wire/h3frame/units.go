package h3frame

// units reads what consists of units with a header and a payload, one behind the other: the frames of a control stream, or capsules. It
// may be cut at any byte.
type units struct {
	left    uint64 // bytes of a payload that are passed over
	partial []byte // an incomplete unit
}

// read reads what has arrived. one reads the unit that its bytes begin with, and returns how many bytes it has taken, 0 if more are needed. Of a
// payload that means nothing it takes none, and sets left instead.
func (u *units) read(b []byte, one func(b []byte) (n int, err *Error)) *Error {
	for {
		skip := min(u.left, uint64(len(b)))
		u.left -= skip
		if b = b[skip:]; len(b) == 0 {
			return nil
		}
		in := b
		if len(u.partial) > 0 {
			u.partial = append(u.partial, b...)
			in = u.partial
		}
		n, err := one(in)
		if err != nil {
			return err
		}
		if n == 0 {
			if len(u.partial) == 0 {
				u.partial = append(u.partial, b...)
			}
			return nil
		}
		b = b[len(b)-(len(in)-n):]
		u.partial = nil
	}
}

// isWhole reports whether the last unit has come whole.
func (u *units) isWhole() bool { return u.left == 0 && len(u.partial) == 0 }
