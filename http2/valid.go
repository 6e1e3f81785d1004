package http2

// ValidField tells whether a field may stand in a message that is sent: the name a lower-case token (or one of the
// pseudo-fields), the value free of control bytes and of white space at its ends (RFC 9113 §8.2.1), the field not
// specific to a connection (RFC 9113 §8.2.2).
func ValidField[T string | []byte](name, value T) bool { return false }

// AppendCookies appends the values of all cookie fields, joined by "; " as HTTP/1.1 has them (RFC 9113 §8.2.3), and
// tells whether there was one.
func AppendCookies(dst []byte, fields []Field) ([]byte, bool) { return dst, false }
