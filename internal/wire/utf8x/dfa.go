package utf8x

// A state says which bytes may come next. Its value is the position of its field, in bits, within an entry of the table
// steps, so that a step of the automaton is one load and one shift:
//
//	          00–7F            C2–DF            80–BF
//	accept ─────────► accept ─────────► tail1 ─────────► accept
//	          E1–EC EE–EF      80–BF
//	accept ─────────► tail2 ─────────► tail1
//	          F1–F3            80–BF
//	accept ─────────► tail3 ─────────► tail2
//
// After four leading bytes the range of the next byte is smaller, to exclude overlong encodings, surrogates, and values
// above U+10FFFF:
//
//	accept ── E0 ──► afterE0 ── A0–BF ──► tail1        accept ── F0 ──► afterF0 ── 90–BF ──► tail2
//	accept ── ED ──► afterED ── 80–9F ──► tail1        accept ── F4 ──► afterF4 ── 80–8F ──► tail2
//
// Every other byte leads to reject, and reject leads nowhere else.
type state uint8

const (
	accept  state = fieldBits * iota // between two code points: the zero value
	tail1                            // one more byte 80–BF
	tail2                            // two more
	tail3                            // three more
	afterE0                          // A0–BF, then tail1
	afterED                          // 80–9F, then tail1
	afterF0                          // 90–BF, then tail2
	afterF4                          // 80–8F, then tail2
	reject

	fieldBits = 6 // nine states of six bits fit into 64 bits
	fieldMask = 1<<fieldBits - 1
)

// transition is a row of RFC 3629 §4: in state from, a byte from first to last leads to state to.
type transition struct {
	from        state
	first, last byte
	to          state
}

var transitions = []transition{
	{accept, 0x00, 0x7F, accept},
	{accept, 0xC2, 0xDF, tail1},
	{accept, 0xE0, 0xE0, afterE0},
	{accept, 0xE1, 0xEC, tail2},
	{accept, 0xED, 0xED, afterED},
	{accept, 0xEE, 0xEF, tail2},
	{accept, 0xF0, 0xF0, afterF0},
	{accept, 0xF1, 0xF3, tail3},
	{accept, 0xF4, 0xF4, afterF4},
	{afterE0, 0xA0, 0xBF, tail1},
	{afterED, 0x80, 0x9F, tail1},
	{afterF0, 0x90, 0xBF, tail2},
	{afterF4, 0x80, 0x8F, tail2},
	{tail3, 0x80, 0xBF, tail2},
	{tail2, 0x80, 0xBF, tail1},
	{tail1, 0x80, 0xBF, accept},
}

// steps has an entry for each byte. The six bits from bit s on are the state that follows state s.
var steps = tabulate(transitions)

func tabulate(arrows []transition) (table [256]uint64) {
	for c := range table {
		for s := accept; s <= reject; s += fieldBits {
			table[c] |= uint64(reject) << s
		}
	}
	for _, a := range arrows {
		for c := int(a.first); c <= int(a.last); c++ {
			table[c] ^= uint64(reject^a.to) << a.from
		}
	}
	return table
}

func (s state) after(c byte) state { return state(steps[c] >> (s & 63) & fieldMask) }

// walk is scan without assembly. It makes eight steps at a time without a check: the automaton cannot leave reject, so a
// bad byte still shows after the eighth. Only then does walk look for the byte.
func walk(s state, b []byte) (n int, behind state) {
	rest := b
	for len(rest) >= 8 {
		if s == accept && word(rest)&highBits == 0 {
			rest = skipASCII(rest[8:])
			continue
		}
		after := state(step4(step4(uint64(s), rest), rest[4:8]) & fieldMask)
		if after == reject {
			n, behind = findReject(s, rest)
			return len(b) - len(rest) + n, behind
		}
		s, rest = after, rest[8:]
	}
	if behind = stepFew(s, rest); behind == reject {
		n, _ = findReject(s, rest)
		return len(b) - len(rest) + n, reject
	}
	return len(b), behind
}

// findReject makes one step at a time, to find the byte that leads to reject.
func findReject(s state, b []byte) (n int, behind state) {
	for i, c := range b {
		if s = s.after(c); s == reject {
			return i, reject
		}
	}
	return len(b), s
}

// stepFew makes a step for each byte of b, at most seven.
func stepFew(s state, b []byte) state {
	x := uint64(s)
	if len(b) >= 4 {
		x = step4(x, b)
		b = b[4:]
	}
	if len(b) >= 2 {
		x = steps[b[0]] >> (x & 63)
		x = steps[b[1]] >> (x & 63)
		b = b[2:]
	}
	if len(b) >= 1 {
		x = steps[b[0]] >> (x & 63)
	}
	return state(x & fieldMask)
}

// step4 makes four steps. The bits of x above the low six belong to other states; the shift by x&63 ignores them.
func step4(x uint64, b []byte) uint64 {
	x = steps[b[0]] >> (x & 63)
	x = steps[b[1]] >> (x & 63)
	x = steps[b[2]] >> (x & 63)
	return steps[b[3]] >> (x & 63)
}
