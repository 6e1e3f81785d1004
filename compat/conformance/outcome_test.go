package conformance

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// ending is what becomes of a connection after the last response.
type ending string

const (
	endKeep  ending = "keep"  // the next request on it gets its response as if nothing had been
	endClose ending = "close" // the server closes it and says nothing more
	endWait  ending = "wait"  // the server is silent: it waits for more
	endAny   ending = "any"   // keep or close
	endGoOn  ending = "go on" // the conversation continues
)

// outcome is one thing a server may do: final responses in order, then an ending.
type outcome struct {
	responses []response
	end       ending
}

// response describes one response.
type response struct {
	status []string // "200", "4xx": any of them
	head   bool     // it is for a HEAD request: no body follows
	checks []check
}

// check is one demand on a response. Each of several values will do.
type check struct {
	key    string
	values []string
}

// parseOutcomes reads "400 close | 200 length=3 body=abc, 200 target=/b, keep".
func parseOutcomes(s string) ([]outcome, error) {
	var all []outcome
	alternatives, err := splitOutside(s, " | ")
	if err != nil {
		return nil, err
	}
	for _, alternative := range alternatives {
		o := outcome{end: endGoOn}
		parts, err := splitOutside(strings.TrimSpace(alternative), ", ")
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			if err := o.add(strings.TrimSpace(part)); err != nil {
				return nil, fmt.Errorf("%q: %w", s, err)
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// add reads one part: a response, an ending, or a response and an ending.
func (o *outcome) add(part string) error {
	if o.end != endGoOn {
		return fmt.Errorf("%q stands after the ending", part)
	}
	words, err := splitOutside(part, " ")
	if err != nil {
		return err
	}
	if n := len(words) - 1; n >= 0 {
		switch e := ending(words[n]); e {
		case endKeep, endClose, endWait, endAny:
			o.end, words = e, words[:n]
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	a := response{status: strings.Split(words[0], "/")}
	for _, st := range a.status {
		if _, err := strconv.Atoi(strings.ReplaceAll(st, "x", "0")); err != nil || len(st) != 3 {
			return fmt.Errorf("%q is no status", st)
		}
	}
	for _, w := range words[1:] {
		if w == "head" {
			a.head = true
			continue
		}
		c, err := parseCheck(w)
		if err != nil {
			return err
		}
		a.checks = append(a.checks, c)
	}
	o.responses = append(o.responses, a)
	return nil
}

// parseCheck reads key=value, key=one|other or key="quoted \r\n".
func parseCheck(w string) (check, error) {
	key, value, ok := strings.Cut(w, "=")
	if !ok {
		return check{}, fmt.Errorf("%q is no check", w)
	}
	switch key {
	case "method", "target", "host", "probe", "length", "body", "text", "bytes", "field", "has", "not":
	default:
		return check{}, fmt.Errorf("there is no check called %q", key)
	}
	if strings.HasPrefix(value, `"`) {
		s, err := strconv.Unquote(value)
		return check{key, []string{s}}, err
	}
	return check{key, strings.Split(value, "|")}, nil
}

// splitOutside cuts s at every sep that stands outside a quoted value.
func splitOutside(s, sep string) ([]string, error) {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"' && (quoted || opensValue(s[:i])):
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], sep):
			parts = append(parts, s[start:i])
			start = i + len(sep)
			i = start - 1
		}
	}
	if quoted {
		return nil, fmt.Errorf("%q: a quote is open", s)
	}
	return append(parts, s[start:]), nil
}

// opensValue reports whether a quote behind s begins the value of a check.
func opensValue(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	return strings.IndexByte(word, '=') == len(word)-1 && word != ""
}

// matches tells why r is not what a describes; nil if it is.
func (a response) matches(r *reply) error {
	ok := false
	for _, st := range a.status {
		got := strconv.Itoa(r.status)
		ok = ok || st == got || (strings.HasSuffix(st, "xx") && st[0] == got[0])
	}
	if !ok {
		return fmt.Errorf("status %d, want %s", r.status, strings.Join(a.status, " or "))
	}
	for _, c := range a.checks {
		if err := c.matches(r); err != nil {
			return err
		}
	}
	return nil
}

// matches tells why r does not meet the demand; nil if it does.
func (c check) matches(r *reply) error {
	for _, want := range c.values {
		if c.meets(r, want) {
			return nil
		}
	}
	got, _ := r.echo(c.key)
	return fmt.Errorf("%s: got %q, want %q (body %q)", c.key, got, c.values, firstBytes(r.body, 200))
}

// meets reports whether r has the one value.
func (c check) meets(r *reply, want string) bool {
	switch c.key {
	case "text":
		return string(r.body) == want
	case "bytes":
		return strconv.Itoa(len(r.body)) == want
	case "has":
		return len(r.values(want)) > 0
	case "not":
		return len(r.values(want)) == 0
	case "field":
		name, value, _ := strings.Cut(want, ": ")
		for _, v := range r.values(name) {
			if v == value {
				return true
			}
		}
		return false
	}
	got, ok := r.echo(c.key)
	return ok && got == want
}

// firstBytes is b, cut to n bytes for a message.
func firstBytes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	return append(bytes.Clone(b[:n]), "…"...)
}
