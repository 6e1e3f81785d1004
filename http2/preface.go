package http2

// Preface is the first thing that a client sends (RFC 9113 §3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// MatchPreface returns how many bytes b and Preface have in common at the start, and whether b is, or can still become,
// the start of an HTTP/2 connection. If n is len(Preface), it certainly is.
func MatchPreface(b []byte) (n int, ok bool) {
	for n < len(b) && n < len(Preface) && b[n] == Preface[n] {
		n++
	}
	return n, n == len(b) || n == len(Preface)
}
