// Package utf8x reports whether bytes are valid UTF-8 (RFC 3629), as a whole or in pieces, and finds the first invalid
// byte.
//
// A WebSocket connection must fail if a text message is not UTF-8 (RFC 6455 §8.1). The fragments of a message may be cut
// inside a code point, and an invalid byte should be reported as soon as it arrives. [Validator] does both.
//
// The work is done in three layers. The automaton of dfa.go, with one table look-up for each byte, is the reference.
// Words that are all ASCII skip it. On amd64 with AVX2, assembly first checks 64 bytes at a time and only reports how
// far the text is valid; the automaton then finds the exact byte, or the code point that is cut off at the end.
package utf8x

// Valid reports whether b is valid UTF-8: without surrogates, values above U+10FFFF, overlong encodings and incomplete
// code points (RFC 3629 §3). Its result is that of [unicode/utf8.Valid].
//
// It keeps no reference to b and is safe for concurrent use.
func Valid(b []byte) bool {
	_, s := scan(accept, b)
	return s == accept
}

// wordsMax is the length up to which scan looks for pure ASCII word by word before it uses the assembly.
const wordsMax = 128

// scan runs the automaton over b, from state s to the state behind. n is len(b), or the index of the byte that led to
// reject.
func scan(s state, b []byte) (n int, behind state) {
	if len(b) < 8 {
		if behind = stepFew(s, b); behind == reject {
			return findReject(s, b)
		}
		return len(b), behind
	}
	// Check the last word first: it often shows at once that the text is not ASCII. The bytes that skipASCII leaves over
	// are part of that word.
	if s == accept && len(b) <= wordsMax && word(b[len(b)-8:])&highBits == 0 && len(skipASCII(b)) <= 8 {
		return len(b), accept
	}
	if len(b) < blockMin {
		return walk(s, b)
	}
	// The assembly must start between two code points. An open code point ends after at most three bytes.
	for s != accept {
		if s = s.after(b[n]); s == reject {
			return n, reject
		}
		n++
	}
	n = lastStart(b, n+goodPrefix(b[n:]), n)
	m, s := walk(accept, b[n:])
	return n + m, s
}

// lastStart returns where the last code point of b[:end] starts if it has several bytes, and otherwise end. No code
// point starts before low. b[low:end] is valid UTF-8 except for its last code point, which may be cut off.
func lastStart(b []byte, end, low int) int {
	i := end
	for i > low && end-i < 3 && b[i-1]&0xC0 == 0x80 {
		i--
	}
	if i > low && b[i-1] >= 0xC0 {
		i--
	}
	return i
}
