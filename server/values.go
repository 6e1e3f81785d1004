package server

import (
	"bytes"
	"iter"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Values are the parameters of a query or a form (application/x-www-form-urlencoded), in the order in which they were
// sent. The names and values that its methods return are decoded, and valid until the handler returns. A malformed
// parameter (a bad escape, a semicolon) is skipped, as in net/url.
type Values struct {
	x   *exchange
	raw []byte
}

// QueryValues returns the parameters of the query.
func (r *Request) QueryValues() Values { return Values{r.x, r.head.Query} }

// FormValues reads the body and returns its parameters. It returns the errors of Body, and ErrNotForm if the
// Content-Type is another one. A second call finds an empty body: keep the result of the first. For multipart/form-data
// there is a [recipe].
//
// [recipe]: https://github.com/shockwave-go/shockwave/blob/main/docs/native.md
func (r *Request) FormValues() (Values, error) {
	kind, _, _ := bytes.Cut(r.Header().Get("Content-Type"), semicolon)
	if !ascii.EqualFold(ascii.TrimOWS(kind), "application/x-www-form-urlencoded") {
		return Values{}, ErrNotForm
	}
	body, err := r.Body()
	return Values{r.x, body}, err
}

// Get returns the first value of name, nil if there is none.
func (v Values) Get(name string) []byte {
	for key, value := range v.All() {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// Has reports whether there is a parameter called name, which may have an empty value.
func (v Values) Has(name string) bool { return v.Get(name) != nil }

// All returns an iterator over all names and values.
func (v Values) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for rest := v.raw; len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, ampersand)
			if len(pair) == 0 || bytes.IndexByte(pair, ';') >= 0 {
				continue
			}
			name, value, _ := bytes.Cut(pair, equals)
			name, ok := v.x.decode(name, true)
			if !ok {
				continue
			}
			if value, ok = v.x.decode(value, true); ok && !yield(name, value) {
				return
			}
		}
	}
}

var (
	ampersand = []byte("&")
	equals    = []byte("=")
	nothing   = []byte{}
)

// decode decodes the percent-encoded bytes of s (RFC 3986 §2.1). If plus is true it also decodes plus signs as spaces,
// as in HTML forms. ok is false if an escape is malformed. The result is never nil. It is s itself if there is nothing
// to decode, otherwise it points into x.decoded.
func (x *exchange) decode(s []byte, plus bool) (decoded []byte, ok bool) {
	if bytes.IndexByte(s, '%') < 0 && (!plus || bytes.IndexByte(s, '+') < 0) {
		if s == nil {
			s = nothing
		}
		return s, true
	}
	start := len(x.decoded) // slices returned earlier stay valid, also when append moves x.decoded
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '+' && plus:
			c = ' '
		case c == '%':
			if i+2 >= len(s) || !ascii.Is(s[i+1], ascii.Hex) || !ascii.Is(s[i+2], ascii.Hex) {
				x.decoded = x.decoded[:start]
				return nil, false
			}
			high, _ := ascii.HexValue(s[i+1])
			low, _ := ascii.HexValue(s[i+2])
			c = high<<4 | low
			i += 2
		}
		x.decoded = append(x.decoded, c)
	}
	end := len(x.decoded)
	return x.decoded[start:end:end], true
}
