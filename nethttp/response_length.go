package nethttp

import "strconv"

// declaredLength returns the Content-Length that the handler has set, or -1 if there is none. An invalid one, one of
// several that differ, or one beside a Transfer-Encoding is logged and not sent (RFC 9112 §6.2).
func (w *response) declaredLength(fields []headField) int64 {
	length, coding := int64(-1), ""
	for i := range fields {
		f := &fields[i]
		switch f.kind {
		case transferEncoding:
			coding = firstOf(f.values)
		case contentLength:
			for _, text := range f.values {
				if text == "" {
					continue
				}
				n, err := strconv.ParseUint(text, 10, 63) // unsigned: 1*DIGIT (RFC 9110 §8.6)
				if err != nil || length >= 0 && int64(n) != length {
					w.server().logf("http: invalid Content-Length of %q", text)
					return -1
				}
				length = int64(n)
			}
		}
	}
	if length >= 0 && coding != "" && coding != "identity" {
		w.server().logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d",
			coding, length)
		return -1
	}
	return length
}
