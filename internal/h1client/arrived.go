package h1client

import "bytes"

// arrived reports whether all that is left of the body has arrived, and how many bytes of data that is. Of a chunked body it
// is found by looking at the sizes alone; what else its framing may hold has not arrived as far as this goes.
func (c *Conn) arrived() (size int, ok bool) {
	in := c.p.Unread()
	if left := c.body.Left(); left >= 0 {
		return int(min(left, int64(len(in)))), left <= int64(len(in))
	}
	if c.toClose || c.begun {
		return 0, false
	}
	return chunks(in)
}

// lastChunk ends a chunked body without trailer fields.
const lastChunk = "0\r\n\r\n"

// chunks returns how many bytes of data a chunked body has that in begins with, from its first chunk on and whole.
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
		end := digits + 2 + n + 2 // of the chunk: its size line, its data, the line end behind them
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
