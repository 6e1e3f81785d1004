// Package utf8x reports whether bytes are UTF-8 (RFC 3629), whole or piece by piece, and which byte is the first that is
// not.
//
// RFC 6455 §8.1 makes a WebSocket connection fail when a text message is not UTF-8. A message comes in fragments that
// may be cut inside a code point, and a bad byte is best told as soon as it is there: [Validator] does both.
//
// Three layers do the work. The automaton of dfa.go is the truth: one table look-up for each byte. Words of ASCII jump
// over it. On amd64 with AVX2 the assembly first looks at 64 bytes at a time, and tells no more than how far all is
// well; the automaton then finds the exact byte, or the code point that is cut at the end.
package utf8x

// Valid reports whether all of b is UTF-8: no surrogate, nothing above U+10FFFF, no code point in more bytes than it
// needs and none cut off (RFC 3629 §3). Its answer is that of [unicode/utf8.Valid].
//
// It keeps nothing of b, and may be called concurrently.
func Valid(b []byte) bool {
	_, s := scan(accept, b)
	return s == accept
}

// wordsMax is the length up to which scan asks for ASCII by words, before the assembly would.
const wordsMax = 128

// scan takes b from state s to the state behind it. n is len(b), or the index of the byte that led to reject.
func scan(s state, b []byte) (n int, behind state) {
	if len(b) < 8 {
		if behind = few(s, b); behind == reject {
			return seek(s, b)
		}
		return len(b), behind
	}
	// The last word is the first to look at: it often shows at once that a text is not ASCII, and whatever is left in
	// front of it when words are skipped is part of it.
	if s == accept && len(b) <= wordsMax && word(b[len(b)-8:])&highBits == 0 && len(skipASCII(b)) <= 8 {
		return len(b), accept
	}
	if len(b) < blockMin {
		return walk(s, b)
	}
	// The assembly starts between two code points; the one that is open is over after three bytes at the most.
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

// lastStart returns where the last code point of b[:end] starts, or end where that is one byte long. No code point
// starts before low. b[low:end] is UTF-8 but for its last code point, which may be cut off.
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
