package http2

// Preface is what a client sends first (RFC 9113 §3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// MatchPreface returns how many bytes b and Preface have in common at the start, and whether b can still become, or is,
// the start of an HTTP/2 connection. An n of len(Preface) is certain.
func MatchPreface(b []byte) (n int, ok bool) {
	for n < len(b) && n < len(Preface) && b[n] == Preface[n] {
		n++
	}
	return n, n == len(b) || n == len(Preface)
}
