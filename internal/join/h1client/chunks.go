package h1client

import "bytes"

// lastChunk ends a chunked body that has no trailer fields.
const lastChunk = "0\r\n\r\n"

// chunks reports whether in begins with a whole chunked body, from its first chunk on, and how many bytes of data that
// has.
func chunks(in []byte) (size int, ok bool) {
	for !bytes.HasPrefix(in, []byte(lastChunk)) {
		n, digits := 0, 0
		for ; digits < len(in) && digits < 7; digits++ {
			v := digit(in[digits])
			if v < 0 {
				break
			}
			n = n<<4 | v
		}
		end := digits + 2 + n + 2 // of the chunk: size line, data, line end
		if n == 0 || end > len(in) || in[digits] != '\r' {
			return 0, false
		}
		size += n
		in = in[end:]
	}
	return size, true
}

// digit returns the value of a hexadecimal digit, -1 for any other byte.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
