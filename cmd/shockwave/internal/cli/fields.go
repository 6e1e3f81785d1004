package cli

import (
	"errors"
	"strings"

	"github.com/shockwave-go/shockwave"
)

// Fields is the value of a flag for header fields; each time adds a field.
type Fields struct {
	Header shockwave.Header
	shown  []string // header with secret values hidden
}

// String implements flag.Value.
func (f *Fields) String() string { return strings.Join(f.Each(), ", ") }

// Each returns the fields without secret values.
func (f *Fields) Each() []string { return f.shown }

// Set implements flag.Value.
func (f *Fields) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	value = strings.Trim(value, " \t")
	if !ok || !Token(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return errors.New("want a field such as 'Accept: text/html'")
	}
	f.Header.Add(name, value)
	if secret(name) {
		value = "…"
	}
	f.shown = append(f.shown, name+": "+value)
	return nil
}

// Token reports whether s is a valid method or field name (RFC 9110 §5.6.2).
func Token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// secret reports whether a field's value must not be shown.
func secret(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie":
		return true
	}
	return false
}
