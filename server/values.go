package server

import (
	"bytes"
	"iter"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/server/internal/params"
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
// [recipe]: https://github.com/shockwave-go/shockwave/blob/main/docs/server.md
func (r *Request) FormValues() (Values, error) {
	kind, _, _ := bytes.Cut(r.Header().Get("Content-Type"), []byte(";"))
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
		params.Values(&v.x.decoder, v.raw, yield)
	}
}
