package http2

// ParsePriority parses the value of a priority field or of a PRIORITY_UPDATE frame: a dictionary of structured fields
// (RFC 9218 §4, RFC 8941 §3.2). Unknown keys, and values of the wrong type or out of range, are ignored. The result for a
// malformed dictionary is DefaultPriority.
func ParsePriority[T string | []byte](value T) PriorityParams {
	p := DefaultPriority
	d := dictionary[T]{s: value}
	d.spaces()
	for d.i < len(d.s) {
		key, ok := d.key()
		if !ok {
			return DefaultPriority
		}
		kind, n, ok := d.value()
		if !ok {
			return DefaultPriority
		}
		switch {
		case key == 'u' && kind == sfInteger && n >= 0 && n < urgencies:
			p.Urgency = uint8(n)
		case key == 'i' && kind == sfBoolean:
			p.Incremental = n == 1
		}
		if !d.comma() {
			return DefaultPriority
		}
	}
	return p
}

// dictionary parses a dictionary of structured fields. i is the position in s.
type dictionary[T string | []byte] struct {
	s T
	i int
}

type sfKind uint8

const (
	sfOther sfKind = iota
	sfInteger
	sfBoolean
)

func (d *dictionary[T]) peek() byte {
	if d.i < len(d.s) {
		return d.s[d.i]
	}
	return 0
}

func (d *dictionary[T]) spaces() {
	for d.peek() == ' ' || d.peek() == '\t' {
		d.i++
	}
}

// comma parses the separator between two members, or the end. A trailing comma is an error.
func (d *dictionary[T]) comma() bool {
	d.spaces()
	if d.i == len(d.s) {
		return true
	}
	if d.peek() != ',' {
		return false
	}
	d.i++
	d.spaces()
	return d.i < len(d.s)
}

// key parses a key. It returns a key of one byte as that byte, a longer one as 0.
func (d *dictionary[T]) key() (byte, bool) {
	start := d.i
	for c := d.peek(); lower(c) || c == '*' || d.i > start && (digit(c) || c == '_' || c == '-' || c == '.'); c = d.peek() {
		d.i++
	}
	if d.i-start == 1 {
		return d.s[start], true
	}
	return 0, d.i > start
}

// value parses what follows a key: nothing, which means true, or "=" and an item or a list; and then parameters.
func (d *dictionary[T]) value() (kind sfKind, n int, ok bool) {
	kind, n, ok = sfBoolean, 1, true
	if d.peek() == '=' {
		d.i++
		if d.peek() == '(' {
			kind, n, ok = sfOther, 0, d.list()
		} else {
			kind, n, ok = d.item()
		}
	}
	return kind, n, ok && d.parameters()
}

func (d *dictionary[T]) parameters() bool {
	for d.peek() == ';' {
		d.i++
		d.spaces()
		if _, ok := d.key(); !ok {
			return false
		}
		if d.peek() == '=' {
			d.i++
			if _, _, ok := d.item(); !ok {
				return false
			}
		}
	}
	return true
}

func (d *dictionary[T]) list() bool {
	d.i++
	for {
		d.spaces()
		if d.peek() == ')' {
			d.i++
			return true
		}
		if _, _, ok := d.item(); !ok || !d.parameters() {
			return false
		}
		if c := d.peek(); c != ' ' && c != ')' {
			return false
		}
	}
}

// item parses a bare item. Tokens, strings, byte sequences and decimals mean nothing here, but must be well formed.
func (d *dictionary[T]) item() (kind sfKind, n int, ok bool) {
	c := d.peek()
	switch {
	case c == '?':
		d.i++
		c = d.peek()
		d.i++
		return sfBoolean, int(c) - '0', c == '0' || c == '1'
	case c == '-' || digit(c):
		return d.number()
	case c == '"':
		return sfOther, 0, d.until('"')
	case c == ':':
		return sfOther, 0, d.until(':')
	case lower(c|0x20) || c == '*':
		for c = d.peek(); c > ' ' && c < 0x7f && c != ',' && c != ';' && c != ')' && c != '"' && c != '('; c = d.peek() {
			d.i++
		}
		return sfOther, 0, true
	}
	return sfOther, 0, false
}

func (d *dictionary[T]) number() (kind sfKind, n int, ok bool) {
	sign := 1
	if d.peek() == '-' {
		sign = -1
		d.i++
	}
	start := d.i
	for digit(d.peek()) && d.i-start < 15 {
		n = min(n*10+int(d.peek()-'0'), 1<<20)
		d.i++
	}
	kind, ok = sfInteger, d.i > start
	if d.peek() == '.' && ok {
		d.i++
		kind, start = sfOther, d.i
		for digit(d.peek()) {
			d.i++
		}
		ok = d.i > start && d.i-start <= 3
	}
	return kind, sign * n, ok && !digit(d.peek())
}

// until parses up to the closing mark. A backslash escapes the next byte.
func (d *dictionary[T]) until(mark byte) bool {
	for d.i++; d.i < len(d.s); d.i++ {
		switch c := d.s[d.i]; {
		case c == mark:
			d.i++
			return true
		case c < ' ' || c >= 0x7f:
			return false
		case c == '\\':
			d.i++
		}
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }
